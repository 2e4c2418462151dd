// SPDX-License-Identifier: Apache-2.0
//
// The base URLs of attachments: requested once per client and server, and shared by all openings.

/// A pending request for the root document of a server.
final class AttachmentBaseQuestion: Sendable {
  struct State {
    /// The openings that wait for the base URL.
    var runs: [AttachmentRun]
    var transfer: TransferID?
  }

  let server: String
  /// The source of the first opening.
  let source: Source
  let gather: Confined<Gather>
  let state: Guarded<State>

  init(for run: AttachmentRun, _ gather: Gather) {
    server = run.wanted.server
    source = run.source
    self.gather = Confined(gather)
    state = Guarded(State(runs: [run]))
  }
}

final class AttachmentBases: Sendable {
  struct State {
    var bases: [String: ParsedURL] = [:]
    var questions: [AttachmentBaseQuestion] = []
  }

  private let services: ClientServices
  private let state = Guarded(State())

  init(_ services: ClientServices) { self.services = services }

  private var lock: ProcessLock { services.lock }

  /// Returns the base URL of a server, if it is known. Takes the engine lock.
  func known(_ server: String) -> ParsedURL? { lock.withLock { state[$0].bases[server] } }

  /// Forgets the base URL of a server, which may have moved its attachments. Takes the engine lock.
  func forget(_ server: String) { lock.withLock { locked in state[locked].bases[server] = nil } }

  /// Requests the base URL for a run, which continues with its download afterwards.
  func ask(for run: AttachmentRun, _ exclusive: Exclusive) {
    do throws(RemoraError) {
      let gather = try run.source.dialect.requireAttachments().root()
      let question = lock.withLock { locked -> AttachmentBaseQuestion? in
        let asked = state[locked].questions.first { $0.server == run.wanted.server }
        if let asked {
          asked.state[locked].runs.append(run)
          return nil
        }
        let question = AttachmentBaseQuestion(for: run, gather)
        state[locked].questions.append(question)
        return question
      }
      if let question { ask(question, exclusive) }
    } catch {
      run.fail(error, exclusive)
    }
  }

  private func ask(_ question: AttachmentBaseQuestion, _ exclusive: Exclusive) {
    let gather = question.gather[exclusive]
    let request = HTTPRequest(gather.url, text: gather.urlText, options: services.transportOptions)
    question.source.core.note(.debug, "sends \(gather.logText)")
    do throws(RemoraError) {
      try lock.withLock { locked throws(RemoraError) in
        guard !question.state[locked].runs.isEmpty else { return }
        let transfer = try services.runtime.worker.send(request, by: services.transport, locked) { [self] in
          receive($0, question, $1)
        }
        question.state[locked].transfer = transfer
      }
    } catch {
      settle(question, .failure(error), exclusive)
    }
  }

  private func receive(
    _ answer: Result<HTTPResponse, RemoraError>, _ question: AttachmentBaseQuestion, _ exclusive: Exclusive
  ) {
    guard lock.withLock({ !question.state[$0].runs.isEmpty }) else { return }
    let gather = question.gather[exclusive]
    do throws(RemoraError) {
      let (response, dialect) = (try answer.get(), question.source.dialect)
      question.source.core.noteRequests(of: response, to: gather)
      if let elsewhere = try gather.redirect(by: response, dialect) {
        question.gather[exclusive] = elsewhere
        return ask(question, exclusive)
      }
      try gather.requireOK(response, "the server")
      settle(question, .success(try dialect.requireAttachments().base(in: response.content.bytes)), exclusive)
    } catch {
      settle(question, .failure(error.answered(by: answer)), exclusive)
    }
  }

  private func settle(
    _ question: AttachmentBaseQuestion, _ answer: Result<ParsedURL, RemoraError>, _ exclusive: Exclusive
  ) {
    let runs = lock.withLock { locked in
      state.with(locked) { state in
        state.questions.removeAll { $0 === question }
        if case .success(let base) = answer { state.bases[question.server] = base }
      }
      return exchange(&question.state[locked].runs, [])
    }
    for run in runs {
      run.work[exclusive].isBaseFresh = true
      do throws(RemoraError) {
        try run.download(under: answer.get(), exclusive)
      } catch {
        run.fail(error, exclusive)
      }
    }
  }

  /// Removes a run from the request that it waits for; cancels a request that no run waits for.
  func leave(_ run: AttachmentRun, _ locked: Locked) {
    for question in state[locked].questions {
      let isOver = question.state.with(locked) { state in
        let count = state.runs.count
        state.runs.removeAll { $0 === run }
        return state.runs.isEmpty && count > 0
      }
      guard isOver else { continue }
      state[locked].questions.removeAll { $0 === question }
      if let transfer = question.state[locked].transfer { services.transport.cancel(transfer) }
    }
  }

  /// Called after a fork, in the child: the requests belong to the parent.
  func resumeChild(_ locked: Locked) { leak(exchange(&state[locked].questions, [])) }
}
