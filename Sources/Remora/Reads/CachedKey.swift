// SPDX-License-Identifier: Apache-2.0
//
// A place in a live cell that a program reads often, such as in a frame loop. The key remembers the values that it has
// read, so that a read costs a few loads as long as nothing is published.

internal import Glibc
internal import Synchronization

/// A key and a JSON Pointer, with the values that were read there last. Safe on all threads.
struct CachedKey: ~Copyable {
  private let cell: LiveCell
  /// NUL-terminated, as passed in.
  let key: UnsafeMutablePointer<CChar>
  let pointer: UnsafeMutablePointer<CChar>?
  private let boolean = CachedBits()
  private let integer = CachedBits()
  private let number = CachedBits()
  private let text = CachedText()
  /// The number of changes that were noticed.
  private let changes = CachedBits()
  /// The hash of the value when `changes` was counted last.
  private let digest = Atomic<UInt64>(0)
  /// While a thread caches a value, other threads read the live snapshot and cache nothing.
  private let caching = Claim()
  /// While a thread counts changes, other threads return the last count.
  private let counting = Claim()

  /// Returns nil if memory has run out. `key` and `pointer` are copied.
  init?(_ cell: LiveCell, key: UnsafePointer<CChar>, pointer: UnsafePointer<CChar>?) {
    guard let ownKey = strdup(key) else { return nil }
    let ownPointer = pointer.flatMap { strdup($0) }
    guard ownPointer != nil || pointer == nil else {
      free(ownKey)
      return nil
    }
    self.cell = cell
    self.key = ownKey
    self.pointer = ownPointer
    digest.store(currentDigest(), ordering: .relaxed)
  }

  deinit {
    free(key)
    free(pointer)
  }

  // MARK: What is cached; nil if the live snapshot was published later, or if nothing was read

  @inline(__always)
  var cachedBool: Bool? { boolean.load(cell.revisionNow).map { $0 != 0 } }

  @inline(__always)
  var cachedInt: Int64? { integer.load(cell.revisionNow).map { Int64(bitPattern: $0) } }

  @inline(__always)
  var cachedDouble: Double? { number.load(cell.revisionNow).map { Double(bitPattern: $0) } }

  /// Calls `body` with the cached string; nil if there is none.
  @inline(__always)
  func cachedString(_ body: (UnsafeRawBufferPointer) -> Int) -> Int? { text.load(cell.revisionNow, body) }

  /// How often the value was found to have changed, or nil.
  @inline(__always)
  var cachedChangeCount: Int64? { changes.load(cell.revisionNow).map { Int64(bitPattern: $0) } }

  // MARK: The live snapshot; what is read is cached

  func readBool() -> Bool? {
    let revision = cell.revisionNow
    guard let value = cell.bool(key, pointer) else { return nil }
    caching.run { boolean.store(value ? 1 : 0, revision) }
    return value
  }

  func readInt() -> Int64? {
    let revision = cell.revisionNow
    guard let value = cell.int(key, pointer) else { return nil }
    caching.run { integer.store(UInt64(bitPattern: value), revision) }
    return value
  }

  func readDouble() -> Double? {
    let revision = cell.revisionNow
    guard let value = cell.double(key, pointer) else { return nil }
    caching.run { number.store(value.bitPattern, revision) }
    return value
  }

  /// Calls `body` with the string; nil if there is none. `body` must be quick.
  func readString(_ body: (UnsafeRawBufferPointer) -> Int) -> Int? {
    let revision = cell.revisionNow
    return cell.string(key, pointer) { string in
      guard let string else { return nil }
      if string.count <= CachedText.capacity { caching.run { text.store(string, revision) } }
      return body(string)
    }
  }

  /// Returns how often the value was found to have changed since the key was bound. Changes between two calls count as
  /// one, and a value that is the same again counts as unchanged.
  func countChanges() -> Int64 {
    counting.run {
      let revision = cell.revisionNow
      let current = currentDigest()
      let isChanged = digest.exchange(current, ordering: .relaxed) != current
      changes.store(changes.latest &+ (isChanged ? 1 : 0), revision)
    }
    return Int64(bitPattern: changes.latest)
  }

  /// Returns a hash of the value; 0 without a value.
  private func currentDigest() -> UInt64 {
    let snapshot = cell.acquire()
    return withExtendedLifetime(snapshot) {
      guard let value = snapshot.reader.pointee.find(key, pointer).value else { return 0 }
      // A text that memory does not suffice for counts as no value.
      return (try? value.withCanonicalText { hash64($0) }) ?? 0
    }
  }
}

/// Lets one thread at a time change a value, and makes no thread wait. A claim that another thread held during a fork
/// is void in the child, where that thread does not exist.
private struct Claim: ~Copyable {
  /// The process of the thread that holds the claim; 0 if no thread does.
  private let holder = Atomic<Int32>(0)

  /// Runs `body`, unless another thread of this process holds the claim.
  @inline(__always)
  func run(_ body: () -> Void) {
    let process = getpid()
    let seen = holder.load(ordering: .relaxed)
    guard seen != process, holder.compareExchange(expected: seen, desired: process, ordering: .acquiring).exchanged
    else { return }
    body()
    holder.store(0, ordering: .releasing)
  }
}

/// A number and the revision of the snapshot that it was read from. Readers compare the revision before and after they
/// load the number, so they never use a number that is being changed. One thread changes it at a time.
private struct CachedBits: ~Copyable {
  private let revision = Atomic(-1)
  private let bits = Atomic<UInt64>(0)

  /// The number, if it was read from the snapshot of this revision.
  @inline(__always)
  func load(_ current: Int) -> UInt64? {
    guard revision.load(ordering: .acquiring) == current else { return nil }
    let bits = bits.load(ordering: .acquiring)
    return revision.load(ordering: .relaxed) == current ? bits : nil
  }

  /// The number, whatever its revision is.
  var latest: UInt64 { bits.load(ordering: .acquiring) }

  /// Replaces the number. If the revision is not that of one snapshot, the next load returns nil.
  @inline(__always)
  func store(_ bits: UInt64, _ current: Int) {
    revision.store(-1, ordering: .relaxed)
    self.bits.store(bits, ordering: .releasing)
    if LiveCell.isOfOneSnapshot(current) { revision.store(current, ordering: .releasing) }
  }
}

/// A short string and the revision of the snapshot that it was read from, with the same rules as `CachedBits`.
private struct CachedText: ~Copyable {
  static let capacity = 8 * wordCount
  private static let wordCount = 8
  private let revision = Atomic(-1)
  private let length = Atomic(0)
  private let words: UnsafeMutablePointer<Atomic<UInt64>>

  init() {
    words = .allocate(capacity: Self.wordCount)
    for index in 0..<Self.wordCount { (words + index).initialize(to: Atomic(0)) }
  }

  deinit {
    words.deinitialize(count: Self.wordCount)
    words.deallocate()
  }

  /// Calls `body` with a copy of the string, if it was read from the snapshot of this revision; else returns nil.
  @inline(__always)
  func load(_ current: Int, _ body: (UnsafeRawBufferPointer) -> Int) -> Int? {
    guard revision.load(ordering: .acquiring) == current else { return nil }
    var copy: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)
    return withUnsafeMutableBytes(of: &copy) { bytes -> Int? in
      let count = min(length.load(ordering: .acquiring), Self.capacity)
      var offset = 0
      while offset < count {
        let word = words[offset / 8].load(ordering: .acquiring)
        bytes.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
        offset += 8
      }
      guard revision.load(ordering: .relaxed) == current else { return nil }
      return body(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    }
  }

  /// Replaces the string, which has at most `capacity` bytes.
  func store(_ string: UnsafeRawBufferPointer, _ current: Int) {
    revision.store(-1, ordering: .relaxed)
    length.store(string.count, ordering: .releasing)
    for index in 0..<Self.wordCount where index * 8 < string.count {
      var word: UInt64 = 0
      withUnsafeMutableBytes(of: &word) { part in
        part.copyMemory(from: UnsafeRawBufferPointer(rebasing: string[(index * 8)..<min(string.count, index * 8 + 8)]))
      }
      words[index].store(word, ordering: .releasing)
    }
    if LiveCell.isOfOneSnapshot(current) { revision.store(current, ordering: .releasing) }
  }
}
