// SPDX-License-Identifier: Apache-2.0
//
// The asynchronous calls of a source: starts them, and calls remora_result_callback of remora.h with their results.

internal import CRemora
internal import Remora

struct CompletedCall {
  var error: RemoraError?
  var outcome = Outcome.none
  var snapshot: Snapshot?
  var attachment: Attachment?
}

/// The callback of an asynchronous call, with its user data and its source handle.
struct Completion: Sendable {
  private let callback: remora_result_callback?
  private let userData: UserData
  private let source: OwnedSourceHandle

  /// The handle with which the call ends. Nil for a call without a callback: it ends with the source.
  let handle: ObjectIdentifier?

  init(_ callback: remora_result_callback?, _ userData: UserData, of source: OpaquePointer?) throws(RemoraError) {
    self.callback = callback
    self.userData = userData
    self.source = OwnedSourceHandle(try require(source, "source"))
    handle = try callback == nil ? nil : requireOpened(source).id
  }

  /// Calls the host's callback with the result. All parts of the result are valid during the call.
  func callAsFunction(_ call: CompletedCall) {
    guard let callback else { return }
    let snapshot = call.snapshot.map(exportSnapshot)
    let attachment = call.attachment.map { exportShared(AttachmentHandle($0)) }
    defer {
      remora_snapshot_release(snapshot)
      remora_attachment_release(attachment)
    }
    withError(call.error, of: source.label.name) { error in
      var result = remora_result(
        struct_size: MemoryLayout<remora_result>.size, source: source.pointer,
        status: error?.pointee.status ?? REMORA_OK, outcome: call.outcome.rawValue, snapshot: snapshot,
        attachment: attachment, error: error)
      HostCalling.call { callback(&result, userData.pointer) }
    }
  }
}

/// Runs the body of an exported asynchronous refresh or wait.
///
/// - Parameter start: Checks the other arguments and starts the call. Returns the function that cancels it.
func startCall(
  of source: OpaquePointer?, _ callback: remora_result_callback?, _ userData: UserData,
  _ out_request: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<remora_error>?,
  _ start: (OpenSource, Completion) throws(RemoraError) -> () -> Void
) -> Int32 {
  boundary(error, of: source) { () throws(RemoraError) in
    let opened = try requireOpened(source)
    let cancel = try start(opened, Completion(callback, userData, of: source))
    out_request?.pointee = export(RequestHandle(cancel: cancel))
  }
}
