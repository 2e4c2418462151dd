// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes structures that begin with `struct_size`, so that hosts and libraries of different versions agree on
// them.

internal import CRemora
internal import Glibc
internal import Remora

@_cdecl("remora_init") @implementation
public func remora_init(_ structure: UnsafeMutableRawPointer?, _ struct_size: Int) {
  guard let structure, struct_size >= MemoryLayout<Int>.size else { return }
  memset(structure, 0, struct_size)
  structure.storeBytes(of: struct_size, as: Int.self)
}

/// A structure that begins with `struct_size`. In the host's memory its size may differ from the library's.
protocol SizedStructure {
  /// The size in version 0.1, as in abi/remora.json. From then on it never changes: hosts of that version have no more.
  static var firstSize: Int { get }
  /// Creates a structure of zeros, which means defaults.
  init()
}

extension remora_config: SizedStructure { static var firstSize: Int { 216 } }
extension remora_source_options: SizedStructure { static var firstSize: Int { 64 } }
extension remora_collection_options: SizedStructure { static var firstSize: Int { 112 } }
extension remora_bundle_options: SizedStructure { static var firstSize: Int { 56 } }
extension remora_settings_options: SizedStructure { static var firstSize: Int { 96 } }
extension remora_refresh_options: SizedStructure { static var firstSize: Int { 24 } }
extension remora_attachment_options: SizedStructure { static var firstSize: Int { 56 } }
extension remora_seed_options: SizedStructure { static var firstSize: Int { 48 } }
extension remora_transport: SizedStructure { static var firstSize: Int { 40 } }
extension remora_clock: SizedStructure { static var firstSize: Int { 32 } }
extension remora_http_response: SizedStructure { static var firstSize: Int { 48 } }
extension remora_source_info: SizedStructure { static var firstSize: Int { 1392 } }
extension remora_experiment: SizedStructure { static var firstSize: Int { 56 } }
extension remora_snapshot_info: SizedStructure { static var firstSize: Int { 40 } }

/// Reads a structure of the host. Fields that an older host does not have are read as zero.
///
/// - Throws: `.invalidArgument` for a size that no version has, or if a part that this library does not know is not
///   zero.
func read<Structure: SizedStructure>(
  _ structure: UnsafePointer<Structure>?, _ name: StaticString
) throws(RemoraError) -> Structure {
  let host = UnsafeRawPointer(try require(structure, name))
  let (ours, theirs) = (MemoryLayout<Structure>.size, try size(of: host, atLeast: Structure.firstSize, name))
  for position in min(ours, theirs)..<theirs where host.load(fromByteOffset: position, as: UInt8.self) != 0 {
    throw .invalidArgument("\(name)", "sets a field that this version of Remora does not know")
  }
  return knownFields(of: structure)
}

/// Copies the fields that this library knows, even if there are others. For NULL or an invalid size, all are zero. User
/// data is read in this way, because it is freed even if a call is refused.
func knownFields<Structure: SizedStructure>(of structure: UnsafePointer<Structure>?) -> Structure {
  var result = Structure()
  guard let structure else { return result }
  let host = UnsafeRawPointer(structure)
  guard let theirs = try? size(of: host, atLeast: Structure.firstSize, "structure") else { return result }
  withUnsafeMutableBytes(of: &result) {
    $0.copyMemory(from: UnsafeRawBufferPointer(start: host, count: min($0.count, theirs)))
  }
  return result
}

/// Reads a structure of options. NULL means the defaults.
func readOptions<Structure: SizedStructure>(
  _ structure: UnsafePointer<Structure>?, _ name: StaticString = "options"
) throws(RemoraError) -> Structure {
  structure == nil ? Structure() : try read(structure, name)
}

/// Writes a structure to the host's memory, as far as the host has room. Fields that only the host knows become zero.
func write<Structure: SizedStructure>(
  _ value: Structure, to structure: UnsafeMutablePointer<Structure>?, _ name: StaticString
) throws(RemoraError) {
  let host = UnsafeMutableRawPointer(try require(structure, name))
  let theirs = try size(of: host, atLeast: Structure.firstSize, name)
  memset(host, 0, theirs)
  withUnsafeBytes(of: value) {
    host.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(host), byteCount: min($0.count, theirs))
  }
  host.storeBytes(of: theirs, as: Int.self)
}

/// The largest accepted size. No version has a larger structure; a larger size is that of uninitialised memory.
private let largestSize = 4096

private func size(of structure: UnsafeRawPointer, atLeast first: Int, _ name: StaticString) throws(RemoraError) -> Int {
  let size = structure.load(as: Int.self)
  guard size >= first, size <= largestSize else {
    let stated = UInt(bitPattern: size)
    throw .invalidArgument("\(name)", "is not initialised: its size is \(stated)")
  }
  return size
}

/// Calls `body` with an array of pointers to the elements, which is valid during the call. Elements are passed to hosts
/// by pointers, because their structures can grow.
func withPointers<Element>(
  to elements: [Element], _ body: (UnsafeBufferPointer<UnsafePointer<Element>?>) -> Void
) {
  elements.withUnsafeBufferPointer { elements in
    let pointers = elements.indices.map { index in elements.baseAddress.map { $0 + index } }
    pointers.withUnsafeBufferPointer(body)
  }
}
