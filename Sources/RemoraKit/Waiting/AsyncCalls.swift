// SPDX-License-Identifier: Apache-2.0
//
// Asynchronous calls of the core as async functions. The completion runs on the client's thread for callbacks, where it
// only resumes the task. Each call completes exactly once: by its result, by cancellation, or by closing the source or
// client.

internal import Dispatch
internal import Remora

/// Starts an asynchronous call of the core, and waits for its result.
///
/// - Parameter start: Starts the call and returns the function that cancels it.
/// - Throws: `CancellationError` as soon as the task is cancelled; `RemoraError` if the call cannot start, or with
///   `.closed` if its completion is dropped because the source or the client is closed.
func result<Answer: Sendable>(
  of source: SourceLabel?,
  _ start: (@escaping @Sendable (Answer) -> Void) throws(Remora.RemoraError) -> @Sendable () -> Void
) async throws -> Answer {
  try Task.checkCancellation()
  let result = OneResult<Result<Answer, any Error>>()
  let cancel = try call(of: source) { () throws(Remora.RemoraError) in try start(completion(result, source)) }
  return try await withTaskCancellationHandler {
    try await result.value().get()
  } onCancel: {
    result.set(.failure(CancellationError()))
    ForkGate.inside { cancel() }
  }
}

/// Returns the completion of a call. If the completion is released without a call, the wait ends with `.closed`.
private func completion<Answer: Sendable>(
  _ result: OneResult<Result<Answer, any Error>>, _ source: SourceLabel?
) -> @Sendable (Answer) -> Void {
  let ending = Ending {
    result.set(.failure(RemoraError(.closed, "the source or its client is closed", of: source)))
  }
  return { answer in
    withExtendedLifetime(ending) { result.set(.success(answer)) }
  }
}

/// Runs a function when its last reference is released.
final class Ending: Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  deinit { body() }
}

/// Runs a call that may block, such as one that writes files, on a thread outside the pool of Swift's tasks.
func outsideThePool<Answer: Sendable>(
  _ body: @escaping @Sendable () throws(RemoraError) -> Answer
) async throws(RemoraError) -> Answer {
  let result: Result<Answer, RemoraError> = await withCheckedContinuation { continuation in
    DispatchQueue.global().async {
      do throws(RemoraError) {
        continuation.resume(returning: .success(try body()))
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
  }
  return try result.get()
}
