// SPDX-License-Identifier: Apache-2.0
//
// The system's calls with one planned accident: call N fails, does half, or is the last one before a crash.
// Counts only while armed, so that a test can prepare in peace.

import Glibc

@testable import Remora

/// What happens to the bytes that were written but not synced when the power goes.
enum LostWrites: CaseIterable { case kept, absent, zeroed, torn }

/// One planned accident.
enum Accident {
  /// The call fails, once.
  case fails(errno: Int32)
  /// A write or read does half of what it could; other calls are as usual.
  case isShort
  /// The call and all after it never happen.
  case crash(LostWrites)
}

/// Wraps the real calls. `@unchecked Sendable`: the state is used only under the lock.
final class FaultySystemCalls: @unchecked Sendable {
  /// One for all: a lock is never freed.
  private static let lock = Lock()
  private let real = SystemCalls.real
  private var accidents: [Int: Accident] = [:]
  private var isArmed = false
  /// The one thread whose calls count; nil for all.
  private var thread: pthread_t?
  private var hasCrashed = false
  private var count = 0
  /// Open files of the directory, by descriptor.
  private var names: [Int32: (directory: Int32, name: String)] = [:]
  /// Names whose bytes are not synced.
  private var unsynced: Set<String> = []
  private var made: [String] = []

  /// The answer of every call after a crash.
  static let gone = -ESHUTDOWN

  /// Plans an accident at the N-th call from now, counted from 1.
  ///
  /// - Parameter onThisThread: Whether calls of other threads do not count: the periodic look of the engine thread.
  func arm(_ accidents: [Int: Accident], onThisThread: Bool = false) {
    Self.lock.withLock {
      self.accidents = accidents
      thread = onThisThread ? pthread_self() : nil
      isArmed = true
      count = 0
    }
  }

  /// Ends all accidents, a crash too.
  func disarm() { Self.lock.withLock { isArmed = false } }

  /// Calls that were made since `arm`.
  var callCount: Int { Self.lock.withLock { count } }
  /// The names of those calls.
  var log: [String] { Self.lock.withLock { made } }

  /// The table to give to the store.
  var calls: SystemCalls {
    var calls = SystemCalls()
    calls.directories.make = { [self] path in
      gate("mkdir").answer ?? real.directories.make(path)
    }
    calls.directories.openFile = { [self] directory, name, flags in
      if let answer = gate("open").answer { return answer }
      let file = real.directories.openFile(directory, name, flags)
      if file >= 0 { Self.lock.withLock { names[file] = (directory, name) } }
      return file
    }
    calls.directories.openTarget = { [self] directory, name in
      gate("open").answer ?? real.directories.openTarget(directory, name)
    }
    calls.files.read = { [self] file, buffer, offset in
      let gate = gate("read")
      if let answer = gate.answer { return Int(answer) }
      let half = UnsafeMutableRawBufferPointer(rebasing: buffer[..<((buffer.count + 1) / 2)])
      return real.files.read(file, gate.isShort ? half : buffer, offset)
    }
    calls.files.write = { [self] file, bytes, offset in
      let gate = gate("write")
      if let answer = gate.answer { return Int(answer) }
      let half = UnsafeRawBufferPointer(rebasing: bytes[..<((bytes.count + 1) / 2)])
      Self.lock.withLock { if let name = names[file]?.name { unsynced.insert(name) } }
      return real.files.write(file, gate.isShort ? half : bytes, offset)
    }
    calls.files.openMemory = { [self] in
      gate("memory").answer ?? real.files.openMemory()
    }
    calls.files.truncate = { [self] file, size in
      gate("truncate").answer ?? real.files.truncate(file, size)
    }
    calls.files.sync = { [self] file in
      if let answer = gate("sync").answer { return answer }
      Self.lock.withLock { if let name = names[file]?.name { unsynced.remove(name) } }
      return real.files.sync(file)
    }
    calls.directories.rename = { [self] directory, from, to in
      if let answer = gate("rename").answer { return answer }
      Self.lock.withLock { if unsynced.remove(from) != nil { unsynced.insert(to) } else { unsynced.remove(to) } }
      return real.directories.rename(directory, from, to)
    }
    calls.directories.link = { [self] directory, from, to in
      gate("link").answer ?? real.directories.link(directory, from, to)
    }
    calls.directories.remove = { [self] directory, name in
      gate("remove").answer ?? real.directories.remove(directory, name)
    }
    calls.files.lock = { [self] file, byte, exclusive in
      gate("lock").answer ?? real.files.lock(file, byte, exclusive)
    }
    return calls
  }

  private func gate(_ call: String) -> (answer: Int32?, isShort: Bool) {
    Self.lock.withLock {
      guard isArmed else { return (nil, false) }
      if let thread, pthread_equal(thread, pthread_self()) == 0 { return (nil, false) }
      if hasCrashed { return (Self.gone, false) }
      count += 1
      made.append(call)
      switch accidents[count] {
      case .none: return (nil, false)
      case .fails(let number): return (-number, false)
      case .isShort: return (nil, true)
      case .crash(let lost):
        hasCrashed = true
        lose(lost)
        return (Self.gone, false)
      }
    }
  }

  /// Does to the unsynced files what a power cut may do.
  private func lose(_ lost: LostWrites) {
    guard lost != .kept, let directory = names.values.first?.directory else { return }
    for name in unsynced {
      let file = openat(directory, name, O_RDWR)
      guard file >= 0 else { continue }
      defer { close(file) }
      var status = stat()
      fstat(file, &status)
      let size = Int(status.st_size)
      let start = lost == .torn ? min(512, size) : 0
      if lost == .absent {
        ftruncate(file, 0)
      } else {
        let zeros = [UInt8](repeating: 0, count: size - start)
        _ = zeros.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, start) }
      }
    }
  }
}
