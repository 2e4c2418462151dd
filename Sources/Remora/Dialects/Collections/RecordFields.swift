// SPDX-License-Identifier: Apache-2.0
//
// The fields of a record: its members without those that the protocol defines for every collection.

/// Appends the fields of a record as one canonical JSON object.
///
/// - Throws: `.corrupt` if the stored file is damaged.
package func appendCanonicalFields(of record: Value, to text: inout ByteBuffer) throws(RemoraError) {
  try text.append(UInt8(ascii: "{"))
  let start = text.count
  for index in 0..<record.count {
    guard let (name, value) = record.member(at: index) else { throw .damagedFile }
    if isOfEveryRecord(name) { continue }
    if text.count > start { try text.append(UInt8(ascii: ",")) }
    try text.appendCanonical(string: name)
    try text.append(UInt8(ascii: ":"))
    try text.appendCanonical(value)
  }
  try text.append(UInt8(ascii: "}"))
}

/// Whether the protocol defines a member of this name for every collection.
private func isOfEveryRecord(_ name: UnsafeRawBufferPointer) -> Bool {
  name.elementsEqual("id".utf8) || name.elementsEqual("last_modified".utf8) || name.elementsEqual("attachment".utf8)
}
