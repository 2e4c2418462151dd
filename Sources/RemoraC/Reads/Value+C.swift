// SPDX-License-Identifier: Apache-2.0
//
// Section "values" of remora.h.

public import CRemora
internal import Glibc
internal import Remora

extension remora_value {
  @inline(__always)
  init(_ value: Value) { self.init(node: value.node, region: UnsafeRawPointer(value.region)) }

  /// The core's value; nil for the empty value.
  @inline(__always)
  fileprivate var core: Value? {
    guard let node, let region else { return nil }
    return Value(node: node, region: region.assumingMemoryBound(to: Region.self))
  }
}

@_cdecl("remora_value_type") @implementation
public func remora_value_type(_ value: remora_value) -> Int32 {
  value.core.map { Int32($0.type.rawValue) } ?? REMORA_TYPE_NONE
}

@_cdecl("remora_value_get_bool") @implementation
public func remora_value_get_bool(
  _ value: remora_value, _ out_value: UnsafeMutablePointer<Int32>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  readBoundary(error) { () throws(RemoraError) in
    let bool = try read(value, out_value, "out_value", "a boolean") { $0.bool }
    out_value?.pointee = bool ? 1 : 0
  }
}

@_cdecl("remora_value_get_int") @implementation
public func remora_value_get_int(
  _ value: remora_value, _ out_value: UnsafeMutablePointer<Int64>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  readBoundary(error) { () throws(RemoraError) in
    let number = try read(value, out_value, "out_value", "representable as a 64-bit integer") { $0.int }
    out_value?.pointee = number
  }
}

@_cdecl("remora_value_get_double") @implementation
public func remora_value_get_double(
  _ value: remora_value, _ out_value: UnsafeMutablePointer<Double>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  readBoundary(error) { () throws(RemoraError) in
    let number = try read(value, out_value, "out_value", "exactly representable as a double") { $0.double }
    out_value?.pointee = number
  }
}

@_cdecl("remora_value_get_string") @implementation
public func remora_value_get_string(
  _ value: remora_value, _ out_string: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
  _ out_length: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  readBoundary(error) { () throws(RemoraError) in
    let string = try read(value, out_string, "out_string", "a string") { $0.string }
    out_string?.pointee = string.cString
    out_length?.pointee = string.count
  }
}

@_cdecl("remora_value_get_url") @implementation
public func remora_value_get_url(
  _ value: remora_value, _ out_url: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
  _ out_length: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  readBoundary(error) { () throws(RemoraError) in
    let url = try read(value, out_url, "out_url", "a URL (an absolute URI)") { $0.url }
    out_url?.pointee = url.cString
    out_length?.pointee = url.count
  }
}

@_cdecl("remora_value_get_json") @implementation
public func remora_value_get_json(
  _ value: remora_value, _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ out_length: UnsafeMutablePointer<Int>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  readBoundary(error) { () throws(RemoraError) in
    let value = try require(value.core, "value")
    let length = try copyJSON(value, to: textTarget(buffer, size))
    out_length?.pointee = length
  }
}

@_cdecl("remora_value_count") @implementation
public func remora_value_count(_ value: remora_value) -> Int { value.core?.count ?? 0 }

@_cdecl("remora_value_member") @implementation
public func remora_value_member(
  _ value: remora_value, _ name: UnsafePointer<CChar>?, _ out_value: UnsafeMutablePointer<remora_value>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  readBoundary(error) { () throws(RemoraError) in
    let object = try require(value.core, "value")
    let name = try require(name, "name")
    let out = try require(out_value, "out_value")
    out.pointee = remora_value(try object.requiredMember(named: bytes(of: name)))
  }
}

@_cdecl("remora_value_item") @implementation
public func remora_value_item(
  _ value: remora_value, _ index: Int, _ out_name: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
  _ out_name_length: UnsafeMutablePointer<Int>?, _ out_value: UnsafeMutablePointer<remora_value>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  readBoundary(error) { () throws(RemoraError) in
    let item = try require(value.core, "value").requiredItem(at: index)
    out_name?.pointee = item.name?.cString
    out_name_length?.pointee = item.name?.count ?? 0
    out_value?.pointee = remora_value(item.value)
  }
}

@_cdecl("remora_value_resolve") @implementation
public func remora_value_resolve(
  _ value: remora_value, _ pointer: UnsafePointer<CChar>?, _ out_value: UnsafeMutablePointer<remora_value>?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  readBoundary(error) { () throws(RemoraError) in
    let start = try require(value.core, "value")
    let out = try require(out_value, "out_value")
    let pointer = UnsafeRawBufferPointer(start: pointer, count: pointer.map { strlen($0) } ?? 0)
    out.pointee = remora_value(try start.required(at: pointer))
  }
}

@_cdecl("remora_value_record_fields") @implementation
public func remora_value_record_fields(
  _ record: remora_value, _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int,
  _ out_length: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error) { () throws(RemoraError) in
    let record = try require(record.core, "record").required(.object)
    let target = try textTarget(buffer, size)
    var fields = ByteBuffer()
    try appendCanonicalFields(of: record, to: &fields)
    let length = copyText(fields.bytes, to: target)
    out_length?.pointee = length
  }
}

@inline(__always)
private func read<Result, Out>(
  _ value: remora_value, _ out: UnsafeMutablePointer<Out>?, _ outName: StaticString, _ wanted: StaticString,
  _ get: (Value) -> Result?
) throws(RemoraError) -> Result {
  let value = try require(value.core, "value")
  _ = try require(out, outName)
  if let result = get(value) { return result }
  throw value.failure(wanted: wanted)
}
