// SPDX-License-Identifier: Apache-2.0
//
// Section "attachments" of remora.h.

public import CRemora
internal import Glibc
internal import Remora

/// The content of an attachment handle: the attachment, and a copy of its path as a C string.
struct AttachmentHandle: ~Copyable {
  let attachment: Attachment
  let path: UnsafeMutablePointer<CChar>?

  init(_ attachment: Attachment) {
    self.attachment = attachment
    path = attachment.path.flatMap { strdup($0) }
  }

  deinit { free(path) }
}

@_cdecl("remora_attachment_open") @implementation
public func remora_attachment_open(
  _ source: OpaquePointer?, _ record: UnsafePointer<CChar>?, _ options: UnsafePointer<remora_attachment_options>?,
  _ timeout_ms: Int64, _ out_attachment: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  let progressData = progressUserData(of: options)
  return boundary(error, of: source) { () throws(RemoraError) in
    let options = try readOptions(options)
    let opened = try requireOpened(source)
    let out = try require(out_attachment, "out_attachment")
    try requireTimeout(timeout_ms)
    let progress = options.on_progress.map { callback in
      { (now: AttachmentProgress) in report(now, to: callback, progressData) }
    }
    let attachment = try opened.openAttachment(request(record, options), timeoutMs: timeout_ms, progress: progress)
    out.pointee = exportShared(AttachmentHandle(attachment))
  }
}

@_cdecl("remora_attachment_open_async") @implementation
public func remora_attachment_open_async(
  _ source: OpaquePointer?, _ record: UnsafePointer<CChar>?, _ options: UnsafePointer<remora_attachment_options>?,
  _ timeout_ms: Int64, _ callback: remora_result_callback?, _ user_data: UnsafeMutableRawPointer?,
  _ free_user_data: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?,
  _ out_request: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  let userData = UserData(user_data, free_user_data)
  let progressData = progressUserData(of: options)
  return boundary(error, of: source) { () throws(RemoraError) in
    let options = try readOptions(options)
    let opened = try requireOpened(source)
    try requireTimeout(timeout_ms)
    let completion = try Completion(callback, userData, of: source)
    let waiter = try opened.openAttachmentAsync(
      request(record, options), timeoutMs: timeout_ms, listener(options.on_progress, progressData, completion))
    out_request?.pointee = export(RequestHandle { opened.cancel(waiter) })
  }
}

@_cdecl("remora_attachment_retain") @implementation
public func remora_attachment_retain(_ attachment: OpaquePointer?) -> OpaquePointer? {
  guard let attachment else { return nil }
  retain(attachment, as: AttachmentHandle.self)
  return attachment
}

@_cdecl("remora_attachment_data") @implementation
public func remora_attachment_data(_ attachment: OpaquePointer?) -> UnsafeRawPointer? {
  attachment.flatMap { borrow($0, as: AttachmentHandle.self).pointee.attachment.bytes.baseAddress }
}

@_cdecl("remora_attachment_size") @implementation
public func remora_attachment_size(_ attachment: OpaquePointer?) -> Int {
  attachment.map { borrow($0, as: AttachmentHandle.self).pointee.attachment.bytes.count } ?? 0
}

@_cdecl("remora_attachment_path") @implementation
public func remora_attachment_path(_ attachment: OpaquePointer?) -> UnsafePointer<CChar>? {
  attachment.flatMap { UnsafePointer(borrow($0, as: AttachmentHandle.self).pointee.path) }
}

@_cdecl("remora_attachment_release") @implementation
public func remora_attachment_release(_ attachment: OpaquePointer?) {
  if let attachment { release(attachment, as: AttachmentHandle.self) }
}

/// Converts the arguments of a call to the core's request.
private func request(
  _ record: UnsafePointer<CChar>?, _ options: remora_attachment_options
) throws(RemoraError) -> AttachmentRequest {
  let record = try require(try text(record, "record"), "record")
  let isLocation = try flag(options.by_location, "by_location")
  var request = AttachmentRequest(isLocation ? .location(record) : .record(record))
  request.snapshot = options.snapshot.map { borrow($0, as: SnapshotHandle.self).pointee.snapshot }
  request.isLocal = try flag(options.local_only, "local_only")
  let limit = try duration(options.max_bytes, default: Int64(AttachmentRequest.defaultMaximumBytes), "max_bytes")
  request.maximumBytes = limit < 0 ? nil : Int(limit)
  return request
}

/// Returns the user data of the progress callback, which is freed even if other arguments are invalid.
private func progressUserData(of options: UnsafePointer<remora_attachment_options>?) -> UserData {
  let known = knownFields(of: options)
  return UserData(known.on_progress_user_data, known.on_progress_free_user_data)
}

/// Returns a listener that calls the host's callbacks with the progress and the result of an opening.
private func listener(
  _ progress: remora_progress_callback?, _ progressData: UserData, _ completion: Completion
) -> AttachmentListener {
  let reportProgress = progress.map { progress -> @Sendable (AttachmentProgress) -> Void in
    { now in report(now, to: progress, progressData) }
  }
  return AttachmentListener(progress: reportProgress) { result in
    // Keeps the user data of the progress callback until here, even if the callback is NULL.
    defer { withExtendedLifetime(progressData) {} }
    switch result {
    case .success(let attachment): completion(CompletedCall(attachment: attachment))
    case .failure(let failure): completion(CompletedCall(error: failure))
    }
  }
}

private func report(_ now: AttachmentProgress, to callback: remora_progress_callback, _ userData: UserData) {
  var progress = remora_progress(
    struct_size: MemoryLayout<remora_progress>.size, received: Int64(now.received), total: Int64(now.total))
  HostCalling.call { callback(&progress, userData.pointer) }
}
