// SPDX-License-Identifier: Apache-2.0
//
// A parsed value as one of an image, for those who need it sorted and checked and in no image.

/// Compiles a parsed value by itself, and reads it.
///
/// - Throws: `.format` or `.tooLarge` of the value, and what `body` throws.
func withCompiled<Answer>(
  _ json: borrowing ParsedJSON, _ body: (Value) throws(RemoraError) -> Answer
) throws(RemoraError) -> Answer {
  var encoder = EntryEncoder()
  let range = try [].withBytes { key throws(RemoraError) in try encoder.append(key: key, json) }
  let memory = try encoder.finish()
  defer { withExtendedLifetime(memory) {} }
  guard let entry = Entry(at: UInt32(truncatingIfNeeded: range.offset), in: memory.region) else {
    throw RemoraError(.internal, "a value could not be compiled")
  }
  return try body(entry.value)
}
