// SPDX-License-Identifier: Apache-2.0
//
// The path of a refresh after one response, passed from the decoder to the engine thread.

/// A path that a response has advanced.
struct AdvancedPath: Sendable {
  /// The request of the response.
  let asked: Gather
  let answer: Result<HTTPResponse, RemoraError>
  let nowMs: Int64
  let path: RefreshPath
  private(set) var step: Result<RefreshPath.Step, RemoraError>

  /// - Parameter arriving: The document of the response, as for `RefreshPath.advance`.
  init(
    _ before: consuming RefreshPath, _ answer: Result<HTTPResponse, RemoraError>, _ arriving: ArrivingDocument?,
    chains: ChainCache, nowMs: Int64
  ) {
    asked = before.request
    (self.answer, self.nowMs) = (answer, nowMs)
    do throws(RemoraError) {
      step = .success(try before.advance(answer, arriving, chains: chains, nowMs: nowMs))
    } catch {
      step = .failure(error)
    }
    path = before
  }

  /// Returns this path after writing a compiled image to the disk, if the image is to be stored.
  func writing(of source: StorageName, in directory: StorageDirectory?) -> AdvancedPath {
    guard let directory, case .success(.compiled(var image)) = step else { return self }
    image.write(of: source, in: directory)
    var next = self
    next.step = .success(.compiled(image))
    return next
  }
}
