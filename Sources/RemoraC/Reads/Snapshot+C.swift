// SPDX-License-Identifier: Apache-2.0
//
// Section "snapshots" of remora.h: ownership, size, iteration, text and differences.

public import CRemora
internal import Glibc
internal import Remora

/// The content of a snapshot handle: the reader, inline for the hot path, and the snapshot.
struct SnapshotHandle: ~Copyable {
  /// The first member, so that the address of the handle is the address of the reader.
  let reader: SnapshotReader
  let snapshot: Snapshot
}

/// Exports a snapshot to C as a handle with one owner.
func exportSnapshot(_ snapshot: Snapshot) -> OpaquePointer {
  exportShared(SnapshotHandle(reader: snapshot.reader.pointee, snapshot: snapshot))
}

/// Returns a pointer to the reader inside a snapshot handle, for the hot path.
@inline(__always)
func reader(of snapshot: OpaquePointer) -> UnsafePointer<SnapshotReader> {
  UnsafePointer(borrow(snapshot, as: SnapshotReader.self))
}

@_cdecl("remora_snapshot_acquire") @implementation
public func remora_snapshot_acquire(
  _ source: OpaquePointer?, _ flags: UInt32, _ out_snapshot: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  readBoundary(error, ofUnkept: source) { () throws(RemoraError) in
    let source = try requireSource(source)
    let out = try require(out_snapshot, "out_snapshot")
    let isUnfiltered = try hasFlag(REMORA_SNAPSHOT_UNFILTERED, in: flags)
    out.pointee = exportSnapshot(try source.acquire(isUnfiltered: isUnfiltered))
  }
}

@_cdecl("remora_snapshot_retain") @implementation
public func remora_snapshot_retain(_ snapshot: OpaquePointer?) -> OpaquePointer? {
  guard let snapshot else { return nil }
  retain(snapshot, as: SnapshotHandle.self)
  return snapshot
}

@_cdecl("remora_snapshot_release") @implementation
public func remora_snapshot_release(_ snapshot: OpaquePointer?) {
  if let snapshot { release(snapshot, as: SnapshotHandle.self) }
}

@_cdecl("remora_snapshot_get_info") @implementation
public func remora_snapshot_get_info(
  _ snapshot: OpaquePointer?, _ out_info: UnsafeMutablePointer<remora_snapshot_info>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  readBoundary(error) { () throws(RemoraError) in
    let snapshot = borrow(try require(snapshot, "snapshot"), as: SnapshotHandle.self).pointee.snapshot
    let metadata = snapshot.base.metadata
    var info = remora_snapshot_info()
    info.origin = snapshot.origin.rawValue
    info.verified = metadata.isVerified ? 1 : 0
    info.version = metadata.version
    info.fetched_at_ms = metadata.fetchedAtMs
    info.count = snapshot.count
    try write(info, to: out_info, "out_info")
  }
}

@_cdecl("remora_snapshot_count") @implementation
public func remora_snapshot_count(_ snapshot: OpaquePointer?) -> Int {
  guard let snapshot else { return 0 }
  return borrow(snapshot, as: SnapshotHandle.self).pointee.reader.count
}

@_cdecl("remora_snapshot_item") @implementation
public func remora_snapshot_item(
  _ snapshot: OpaquePointer?, _ index: Int, _ out_key: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
  _ out_key_length: UnsafeMutablePointer<Int>?, _ out_value: UnsafeMutablePointer<remora_value>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  readBoundary(error) { () throws(RemoraError) in
    let entry = try reader(of: try require(snapshot, "snapshot")).requiredEntry(at: index)
    out_key?.pointee = entry.key.cString
    out_key_length?.pointee = entry.key.count
    out_value?.pointee = remora_value(entry.value)
  }
}

@_cdecl("remora_snapshot_get_json") @implementation
public func remora_snapshot_get_json(
  _ snapshot: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ pointer: UnsafePointer<CChar>?,
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ out_length: UnsafeMutablePointer<Int>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  readBoundary(error) { () throws(RemoraError) in
    let handle = borrow(try require(snapshot, "snapshot"), as: SnapshotHandle.self)
    let target = try textTarget(buffer, size)
    guard let key else {
      guard pointer == nil else { throw .invalidArgument("pointer", "must not be set for the whole snapshot") }
      var whole = ByteBuffer()
      try handle.pointee.snapshot.appendCanonical(to: &whole)
      let length = copyText(whole.bytes, to: target)
      out_length?.pointee = length
      return
    }
    let value = try handle.pointee.reader.required(key, pointer)
    let length = try copyJSON(value, to: target)
    out_length?.pointee = length
  }
}

@_cdecl("remora_snapshot_get_origin") @implementation
public func remora_snapshot_get_origin(
  _ snapshot: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ out_origin: UnsafeMutablePointer<Int32>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  readBoundary(error) { () throws(RemoraError) in
    let handle = borrow(try require(snapshot, "snapshot"), as: SnapshotHandle.self)
    let key = try require(key, "key")
    let out = try require(out_origin, "out_origin")
    _ = try handle.pointee.reader.required(key, nil)
    out.pointee = (handle.pointee.snapshot.origin(of: bytes(of: key)) ?? .none).rawValue
  }
}

@_cdecl("remora_snapshot_diff") @implementation
public func remora_snapshot_diff(
  _ old_snapshot: OpaquePointer?, _ new_snapshot: OpaquePointer?, _ visitor: remora_change_visitor?,
  _ user_data: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  readBoundary(error) { () throws(RemoraError) in
    let visitor = try require(visitor, "visitor")
    let old = old_snapshot.map { borrow($0, as: SnapshotHandle.self).pointee.reader }
    let snapshot = new_snapshot.map { borrow($0, as: SnapshotHandle.self).pointee.snapshot }
    var visits = Visits()
    diff(old, snapshot?.reader.pointee) { change in
      var change = remora_change(change, in: snapshot)
      return visits.visit { visitor(&change, user_data) }
    }
    try visits.end()
  }
}

extension remora_change {
  /// Converts a change to the header's structure, which is valid as long as the core's.
  init(_ change: Change, in new: Snapshot?) {
    let origin = change.new.flatMap { _ in new?.origin(of: change.key) } ?? .none
    self.init(
      struct_size: MemoryLayout<remora_change>.size, kind: change.kind.rawValue, origin: origin.rawValue,
      key: change.key.cString, key_length: change.key.count,
      old_value: change.old.map { remora_value($0) } ?? remora_value(),
      new_value: change.new.map { remora_value($0) } ?? remora_value())
  }
}

extension UnsafeRawBufferPointer {
  /// The bytes as a C string; in every image a NUL follows them.
  var cString: UnsafePointer<CChar>? { baseAddress?.assumingMemoryBound(to: CChar.self) }
}
