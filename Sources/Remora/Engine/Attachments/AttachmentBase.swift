// SPDX-License-Identifier: Apache-2.0
//
// Where a server has its attachments: asked once per client and server, whoever wants to know.

/// The question for the root document of a server, under way.
///
/// Concurrency: "State" is guarded by the process's lock, the rest is constant or touched by jobs only.
/// `@unchecked Sendable` for that reason.
final class AttachmentBaseQuestion: @unchecked Sendable {
  let server: String
  /// The source whose opening was first.
  let source: Source
  /// The request under way; the worker's.
  var gather: Gather

  // State
  /// Who wants to know.
  var runs: [AttachmentRun] = []
  /// The transfer under way.
  var transfer: TransferID?

  init(_ server: String, of source: Source, _ gather: Gather) {
    self.server = server
    self.source = source
    self.gather = gather
  }
}

// MARK: In jobs

extension Client {
  /// Finds out the base for a run, which then goes on with its download.
  func askBase(for run: AttachmentRun) {
    do throws(RemoraError) {
      let gather = try run.source.dialect.requireAttachments().root()
      let question = runtime.lock.withLock { () -> AttachmentBaseQuestion? in
        if let asked = attachments.questions.first(where: { $0.server == run.wanted.server }) {
          asked.runs.append(run)
          return nil
        }
        let question = AttachmentBaseQuestion(run.wanted.server, of: run.source, gather)
        question.runs.append(run)
        attachments.questions.append(question)
        return question
      }
      if let question { ask(question) }
    } catch {
      run.fail(error)
    }
  }

  private func ask(_ question: AttachmentBaseQuestion) {
    let gather = question.gather
    let request = HTTPRequest(gather.url, text: gather.urlText, options: options.transportOptions)
    let runtime = runtime
    do throws(RemoraError) {
      try runtime.lock.withLock { () throws(RemoraError) in
        guard !question.runs.isEmpty else { return }
        question.transfer = try transport.start(request) { [self] answer in
          runtime.lock.withLock { runtime.worker.enqueue { [self] in receive(answer, question) } }
        }
      }
    } catch {
      settle(question, .failure(error))
    }
  }

  private func receive(_ answer: Result<HTTPResponse, RemoraError>, _ question: AttachmentBaseQuestion) {
    guard runtime.lock.withLock({ !question.runs.isEmpty }) else { return }
    do throws(RemoraError) {
      let (response, dialect) = (try answer.get(), question.source.dialect)
      noteBackoff(response.headers, of: question.source)
      if let elsewhere = try question.gather.redirect(by: response, dialect) {
        question.gather = elsewhere
        return ask(question)
      }
      try question.gather.requireOK(response, "the server")
      settle(
        question,
        .success(
          try response.body.withBytes { bytes throws(RemoraError) in try dialect.requireAttachments().base(in: bytes) })
      )
    } catch {
      settle(question, .failure(error.answered(by: answer)))
    }
  }

  private func settle(_ question: AttachmentBaseQuestion, _ answer: Result<ParsedURL, RemoraError>) {
    let runs = runtime.lock.withLock {
      attachments.questions.removeAll { $0 === question }
      if case .success(let base) = answer { attachments.bases[question.server] = base }
      let runs = question.runs
      question.runs = []
      return runs
    }
    for run in runs {
      run.isBaseFresh = true
      do throws(RemoraError) {
        try run.download(under: answer.get())
      } catch {
        run.fail(error)
      }
    }
  }

  /// Inside the lock, takes a run out of the question that it waits for; the question ends with its last one.
  func leaveQuestion(_ run: AttachmentRun) {
    guard let question = attachments.questions.first(where: { $0.runs.contains { $0 === run } }) else { return }
    question.runs.removeAll { $0 === run }
    guard question.runs.isEmpty else { return }
    attachments.questions.removeAll { $0 === question }
    if let transfer = question.transfer { transport.cancel(transfer) }
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
