// SPDX-License-Identifier: Apache-2.0
//
// Compiles a parsed value outside of an image, for code that needs it sorted and checked.

/// Compiles a parsed value by itself, and passes it to `body`.
///
/// - Throws: `.format` or `.tooLarge` for the value, and the errors of `body`.
package func withCompiled<Answer>(
  _ json: borrowing ParsedJSON, _ body: (Value) throws(RemoraError) -> Answer
) throws(RemoraError) -> Answer {
  var encoder = EntryEncoder()
  let range = try [UInt8]().withBytes { key throws(RemoraError) in try encoder.append(key: key, json) }
  let memory = try encoder.finish()
  defer { withExtendedLifetime(memory) {} }
  guard let entry = Entry(at: UInt32(truncatingIfNeeded: range.offset), in: memory.region) else {
    throw .bug("a JSON value could not be converted")
  }
  return try body(entry.value)
}
