// SPDX-License-Identifier: Apache-2.0
//
// Structures that begin with `struct_size`: how hosts and libraries of different age agree on them.

internal import CRemora
internal import Glibc
internal import Remora

@_cdecl("remora_init") @implementation
public func remora_init(_ structure: UnsafeMutableRawPointer?, _ struct_size: Int) {
  guard let structure, struct_size >= MemoryLayout<Int>.size else { return }
  memset(structure, 0, struct_size)
  structure.storeBytes(of: struct_size, as: Int.self)
}

/// The part of a structure that this library knows, once its size makes sense.
///
/// - Throws: `.invalidArgument` for a size below ours, or a larger one with something in the part that we do not know.
func read<Structure>(
  _ structure: UnsafePointer<Structure>?, _ name: StaticString
) throws(RemoraError) -> Structure {
  let structure = try require(structure, name)
  let bytes = UnsafeRawPointer(structure)
  let size = try requireSize(bytes, atLeast: MemoryLayout<Structure>.size, name)
  for position in MemoryLayout<Structure>.size..<size where bytes.load(fromByteOffset: position, as: UInt8.self) != 0 {
    throw .invalidArgument("struct_size of \(name)", "covers a field that this version of the library does not know")
  }
  return structure.pointee
}

/// Writes a structure of ours into the caller's; the part that we do not know is zeroed.
func write<Structure>(
  _ value: Structure, to structure: UnsafeMutablePointer<Structure>?, _ name: StaticString
) throws(RemoraError) {
  let structure = try require(structure, name)
  let bytes = UnsafeMutableRawPointer(structure)
  let size = try requireSize(bytes, atLeast: MemoryLayout<Structure>.size, name)
  memset(bytes, 0, size)
  structure.pointee = value
  bytes.storeBytes(of: size, as: Int.self)
}

/// More than this is no structure of any version, but memory that was never initialised.
private let largestSize = 4096

private func requireSize(
  _ structure: UnsafeRawPointer, atLeast known: Int, _ name: StaticString
) throws(RemoraError) -> Int {
  let size = structure.load(as: Int.self)
  guard size >= known, size <= largestSize else {
    throw .invalidArgument("struct_size of \(name)", "is \(size); initialise the structure by REMORA_INIT")
  }
  return size
}
