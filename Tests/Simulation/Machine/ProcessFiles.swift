// SPDX-License-Identifier: Apache-2.0
//
// The system calls of one simulated process: on the machine's directory, with accidents.

import Glibc
import Remora

/// The open files of a process, and the calls that it makes.
///
/// `@unchecked Sendable`: a simulation has one thread.
final class ProcessFiles: @unchecked Sendable {
  private let process: Int
  private unowned let world: World
  /// By descriptor; nil is the directory.
  private var open: [Int32: SimulatedFile?] = [:]
  private var lastDescriptor: Int32 = 1000

  init(_ process: Int, in world: World) {
    self.process = process
    self.world = world
  }

  private var disk: Disk { world.disk }

  /// How many descriptors are open.
  var openCount: Int { open.count }

  /// Closes everything, as the system does for a process that has ended.
  func closeAll() {
    open = [:]
    for (_, file) in disk.names { file.locks = file.locks.filter { $0.value != process } }
  }

  /// Whether the process holds a byte of the lock file.
  func holds(_ byte: Int64) -> Bool { disk["lock"]?.locks[byte] == process }

  /// The bytes that it holds.
  var heldBytes: [Int64] { (disk["lock"]?.locks ?? [:]).filter { $0.value == process }.map(\.key).sorted() }

  /// The table for the store.
  var calls: SystemCalls {
    var calls = SystemCalls.real
    setDirectoryCalls(&calls)
    setFileCalls(&calls)
    setStatusCalls(&calls)
    return calls
  }

  private func setDirectoryCalls(_ calls: inout SystemCalls) {
    calls.directories.make = { [self] _ in enter("mkdir") ?? -EEXIST }
    calls.directories.open = { [self] _ in enter("open") ?? adopt(nil) }
    calls.directories.checkWritable = { [self] _ in enter("access") ?? 0 }
    calls.directories.list = { [self] _ in enter("list") == nil ? disk.names.map(\.name) : nil }
    calls.directories.rename = { [self] _, from, to in
      if let failure = enter("rename \(from) \(to)") { return failure }
      world.invariants.willRename(from, to, by: process)
      return disk.rename(from, to) ? 0 : -ENOENT
    }
    calls.directories.link = { [self] _, from, to in enter("link") ?? (disk.link(from, to) ? 0 : -EEXIST) }
    calls.directories.remove = { [self] _, name in
      if let failure = enter("remove \(name)") { return failure }
      guard disk[name] != nil else { return -ENOENT }
      world.invariants.willRemove(name, by: process)
      disk.remove(name)
      return 0
    }
    calls.directories.touch = { [self] _, name, nowMs in
      if let failure = enter("touch") {
        disk[name]?.hasWrongTime = true
        return failure
      }
      disk[name]?.modifiedMs = nowMs
      return disk[name] == nil ? -ENOENT : 0
    }
  }

  private func setFileCalls(_ calls: inout SystemCalls) {
    calls.directories.openFile = { [self] _, name, flags in enter("open \(name)") ?? open(name, flags) }
    calls.files.openMemory = { [self] in enter("memfd") ?? adopt(disk.create(nil, nowMs: world.wallMs)) }
    calls.files.close = { [self] in close($0) }
    calls.files.read = { [self] descriptor, buffer, offset in
      let accident = draw("read")
      guard let file = file(descriptor), accident.failure == nil else { return Int(accident.failure ?? -EBADF) }
      let rest = max(0, file.bytes.count - offset)
      var count = min(rest, buffer.count)
      if accident.isShort { count = (count + 1) / 2 }
      if count > 0 { buffer.copyBytes(from: file.bytes[offset..<(offset + count)]) }
      return count
    }
    calls.files.write = { [self] descriptor, bytes, offset in
      let accident = draw("write")
      guard let file = file(descriptor), accident.failure == nil else { return Int(accident.failure ?? -EBADF) }
      let count = accident.isShort ? (bytes.count + 1) / 2 : bytes.count
      if let name = disk.name(of: file) {
        world.invariants.willWrite(name, by: process)
        if disk.isFull, offset + count > file.bytes.count {
          world.noteFailure(of: process)
          return -Int(ENOSPC)
        }
      }
      file.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset, nowMs: world.wallMs)
      return count
    }
    calls.files.truncate = { [self] descriptor, size in
      if let failure = enter("truncate") { return failure }
      guard let file = file(descriptor) else { return -EBADF }
      file.bytes = Array(file.bytes.prefix(size)) + [UInt8](repeating: 0, count: max(0, size - file.bytes.count))
      return 0
    }
    calls.files.sync = { [self] descriptor in
      guard let file = open[descriptor] else { return -EBADF }
      if let failure = enter("sync") {
        if file == nil { disk.noteFailedSync() }
        return failure
      }
      if let file { file.sync() } else { disk.sync() }
      return 0
    }
    calls.files.lock = { [self] descriptor, byte, exclusive in
      // No system fails to unlock.
      (exclusive ? enter("lock") : nil) ?? lock(descriptor, byte, exclusive)
    }
  }

  private func setStatusCalls(_ calls: inout SystemCalls) {
    calls.files.status = { [self] descriptor in
      guard let file = open[descriptor] else { return .failed(EBADF) }
      return status(of: file)
    }
    calls.directories.nameStatus = { [self] _, name in disk[name].map { status(of: $0) } ?? .failed(ENOENT) }
    calls.directories.pathStatus = { [self] _ in status(of: nil) }
    calls.files.map = { _, _ in nil }
    calls.randomNumber = { [self] in world.random.next() }
    calls.nowMs = { [self] in world.wallMs }
  }

  // MARK: The calls

  /// Returns a negative errno if the call fails.
  private func enter(_ call: String) -> Int32? { draw(call).failure }

  private func draw(_ call: String) -> (failure: Int32?, isShort: Bool) { world.enterCall(call, of: process) }

  private func file(_ descriptor: Int32) -> SimulatedFile? { open[descriptor] ?? nil }

  private func adopt(_ file: SimulatedFile?) -> Int32 {
    lastDescriptor += 1
    open[lastDescriptor] = .some(file)
    return lastDescriptor
  }

  private func open(_ name: String, _ flags: Int32) -> Int32 {
    if let file = disk[name] { return flags & O_EXCL == 0 ? adopt(file) : -EEXIST }
    return flags & O_CREAT == 0 ? -ENOENT : adopt(disk.create(name, nowMs: world.wallMs))
  }

  /// Any close of a file ends all locks that the process has on it.
  private func close(_ descriptor: Int32) {
    guard let file = open.removeValue(forKey: descriptor), let file else { return }
    file.locks = file.locks.filter { $0.value != process }
  }

  private func lock(_ descriptor: Int32, _ byte: Int64, _ exclusive: Bool) -> Int32 {
    guard let file = file(descriptor) else { return -EBADF }
    if exclusive {
      guard file.locks[byte] ?? process == process else { return -EAGAIN }
      file.locks[byte] = process
    } else if file.locks[byte] == process {
      file.locks[byte] = nil
    }
    return 0
  }

  private func status(of file: SimulatedFile?) -> FileStatus {
    var status = FileStatus()
    status.owner = FileOwner(user: geteuid(), group: getegid())
    status.isRegularFile = file != nil
    status.permissions = file == nil ? 0o700 : 0o600
    status.identity = FileIdentity(device: 1, inode: file?.number ?? 1)
    status.size = file?.bytes.count ?? 0
    status.modifiedMs = file?.modifiedMs ?? 0
    status.links = file.map { disk.name(of: $0) == nil ? 0 : 1 } ?? 1
    return status
  }
}

extension FileStatus {
  fileprivate static func failed(_ number: Int32) -> FileStatus {
    var status = FileStatus()
    status.failure = number
    return status
  }
}
