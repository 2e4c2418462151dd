// SPDX-License-Identifier: Apache-2.0
//
// Reads of a value that throw, and the reasons that they report.

extension Value {
  /// Returns the reason a typed read of the value failed: null counts as missing.
  ///
  /// - Parameter wanted: The requested type with its article, such as "a string".
  package func failure(wanted: StaticString) -> RemoraError {
    type == .null
      ? RemoraError(.notFound, "the value is null")
      : RemoraError(.wrongType, "the value is \(type.name), not \(wanted)")
  }

  /// Returns the value, which must have the given type.
  ///
  /// - Throws: `.wrongType`.
  package func required(_ wanted: ValueType) throws(RemoraError) -> Value {
    guard type == wanted else { throw RemoraError(.wrongType, "the value is \(type.name), not \(wanted.name)") }
    return self
  }

  /// Returns the member of an object with this name.
  ///
  /// - Throws: `.wrongType` for other values; `.notFound`; `.invalidArgument` for a name that is not UTF-8.
  package func requiredMember(named name: UnsafeRawBufferPointer) throws(RemoraError) -> Value {
    if let member = try required(.object).member(named: name) { return member }
    throw RemoraError(.notFound, "there is no member \"\(try text(name, "name"))\"")
  }

  /// Returns the member of an object or the element of an array at a position. An element has no name.
  ///
  /// - Throws: `.wrongType` for other values; `.notFound`.
  package func requiredItem(at index: Int) throws(RemoraError) -> (name: UnsafeRawBufferPointer?, value: Value) {
    if let member = member(at: index) { return (member.name, member.value) }
    if let element = element(at: index) { return (nil, element) }
    guard type == .object || type == .array else {
      throw RemoraError(.wrongType, "the value is neither an object nor an array")
    }
    throw RemoraError(.notFound, "index \(UInt(bitPattern: index)) is out of range: the count is \(count)")
  }

  /// Returns the value at a JSON Pointer in this value.
  ///
  /// - Throws: `.notFound`; `.invalidArgument` for the pointer.
  package func required(at pointer: UnsafeRawBufferPointer) throws(RemoraError) -> Value {
    switch at(pointer: pointer) {
    case .found(let value): return value
    case .absent: throw RemoraError(.notFound, "there is no value at \(try text(pointer, "pointer"))")
    case .malformed: throw .malformedPointer(try text(pointer, "pointer"))
    }
  }

  /// Returns the text of an argument, for an error about it.
  ///
  /// - Throws: `.invalidArgument` if it is not UTF-8.
  private func text(_ argument: UnsafeRawBufferPointer, _ name: String) throws(RemoraError) -> String {
    guard let text = String(validating: argument, as: UTF8.self) else {
      throw .invalidArgument(name, "is not valid UTF-8")
    }
    return text
  }
}
