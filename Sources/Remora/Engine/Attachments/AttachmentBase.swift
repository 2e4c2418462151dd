// SPDX-License-Identifier: Apache-2.0
//
// Where a server has its attachments: asked once per client and server, whoever wants to know.

/// The question for the root document of a server, under way.
final class AttachmentBaseQuestion: Sendable {
  struct State {
    /// Who wants to know.
    var runs: [AttachmentRun]
    /// The transfer under way.
    var transfer: TransferID?
  }

  let server: String
  /// The source whose opening was first.
  let source: Source
  /// The request under way.
  let gather: Confined<Gather>
  let state: Guarded<State>

  init(for run: AttachmentRun, _ gather: Gather) {
    server = run.wanted.server
    source = run.source
    self.gather = Confined(gather)
    state = Guarded(State(runs: [run]))
  }
}

extension Client {
  /// Finds out the base for a run, which then goes on with its download.
  func askBase(for run: AttachmentRun, _ right: borrowing Exclusive) {
    do throws(RemoraError) {
      let gather = try run.source.dialect.requireAttachments().root()
      let question = runtime.lock.withLock { locked -> AttachmentBaseQuestion? in
        let asked = attachments.read(locked, \.questions).first { $0.server == run.wanted.server }
        if let asked {
          asked.state.with(locked) { $0.runs.append(run) }
          return nil
        }
        let question = AttachmentBaseQuestion(for: run, gather)
        attachments.with(locked) { $0.questions.append(question) }
        return question
      }
      if let question { ask(question, right) }
    } catch {
      run.fail(error, right)
    }
  }

  private func ask(_ question: AttachmentBaseQuestion, _ right: borrowing Exclusive) {
    let gather = question.gather.read(right, \.self)
    let request = HTTPRequest(gather.url, text: gather.urlText, options: options.transportOptions)
    let runtime = runtime
    do throws(RemoraError) {
      try runtime.lock.withLock { locked throws(RemoraError) in
        guard !question.state.read(locked, \.runs.isEmpty) else { return }
        let transfer = try transport.start(request) { [self] answer in
          runtime.lock.withLock { runtime.worker.enqueue($0) { [self] in receive(answer, question, $0) } }
        }
        question.state.set(locked, \.transfer, to: transfer)
      }
    } catch {
      settle(question, .failure(error), right)
    }
  }

  private func receive(
    _ answer: Result<HTTPResponse, RemoraError>, _ question: AttachmentBaseQuestion, _ right: borrowing Exclusive
  ) {
    guard runtime.lock.withLock({ !question.state.read($0, \.runs.isEmpty) }) else { return }
    let gather = question.gather.read(right, \.self)
    do throws(RemoraError) {
      let (response, dialect) = (try answer.get(), question.source.dialect)
      noteBackoff(response.headers, of: question.source)
      if let elsewhere = try gather.redirect(by: response, dialect) {
        question.gather.set(right, \.self, to: elsewhere)
        return ask(question, right)
      }
      try gather.requireOK(response, "the server")
      settle(
        question,
        .success(
          try response.body.withBytes { bytes throws(RemoraError) in try dialect.requireAttachments().base(in: bytes) }),
        right)
    } catch {
      settle(question, .failure(error.answered(by: answer)), right)
    }
  }

  private func settle(
    _ question: AttachmentBaseQuestion, _ answer: Result<ParsedURL, RemoraError>, _ right: borrowing Exclusive
  ) {
    let runs = runtime.lock.withLock { locked in
      attachments.with(locked) { state in
        state.questions.removeAll { $0 === question }
        if case .success(let base) = answer { state.bases[question.server] = base }
      }
      return question.state.set(locked, \.runs, to: [])
    }
    for run in runs {
      run.work.set(right, \.isBaseFresh, to: true)
      do throws(RemoraError) {
        try run.download(under: answer.get(), right)
      } catch {
        run.fail(error, right)
      }
    }
  }

  /// Takes a run out of the question that it waits for; the question ends with its last one.
  func leaveQuestion(_ run: AttachmentRun, _ locked: borrowing Locked) {
    for question in attachments.read(locked, \.questions) {
      let isOver = question.state.with(locked) { state in
        let count = state.runs.count
        state.runs.removeAll { $0 === run }
        return state.runs.isEmpty && count > 0
      }
      guard isOver else { continue }
      attachments.with(locked) { $0.questions.removeAll { $0 === question } }
      if let transfer = question.state.read(locked, \.transfer) { transport.cancel(transfer) }
    }
  }

  /// - Throws: `.backoff` while the server of a source wants to be left alone.
  func requireNoBackoff(of source: Source) throws(RemoraError) {
    let server = serverLedger(of: source)
    try server.requireNoBackoff(nowMs: nowMs(notBefore: server))
  }

  /// Remembers the wish of a source's server to be left alone.
  func noteBackoff(_ headers: ResponseHeaders, of source: Source) {
    noteBackoff(headers, from: source, nowMs: nowMs(notBefore: serverLedger(of: source)))
  }
}
