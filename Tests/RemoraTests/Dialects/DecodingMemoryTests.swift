// SPDX-License-Identifier: Apache-2.0
//
// How much memory it takes to make an image of a received body, from its last byte on.

import CTestSupport
import Testing

@testable import Remora

@Suite("Memory for decoding a response body", .serialized)
struct DecodingMemoryTests {
  @Test(
    "a response body and its compiled binary form are never completely in memory at the same time",
    .forks, .memory, .heavy, arguments: [1_000_000, 10_000_000])
  func peak(size: Int) throws {
    let temporary = try TemporaryDirectory()
    let status = inForkedChild {
      // Loads the code.
      guard let small = try? makeBody(100_000), (try? compile(small)) != nil else { return 1 }
      _ = test_peak_growth()
      guard let body = try? makeBody(size), let image = try? compile(body) else { return 1 }
      let peak = test_peak_growth()
      let limit = image.buffer.bytes.count / 4 * 5 + 1_000_000
      return (try? temporary.write("peak", Array("\(peak) \(limit)".utf8))) == nil ? 2 : 0
    }
    try #require(status == 0)
    let numbers = String(decoding: try #require(temporary.read("peak")), as: UTF8.self).split(separator: " ")
    let (peak, limit) = (try #require(Int(numbers[0])), try #require(Int(numbers[1])))
    #expect(peak <= limit, "\(peak) bytes for a body of \(size)")
  }

  @Test("compiling a body to its binary form in place results in the same data as compiling a copy of the body")
  func sameContent() throws {
    let body = try makeBody(20_000)
    let copy = try body.bytes.withDocument { try writeImage(metadata, entries: $0.entries.map(ImageEntry.own)) }
    let image = try compile(body)
    #expect(try Snapshot(base: image, origin: .fetched).text() == Snapshot(base: copy, origin: .fetched).text())
    #expect(image.buffer.bytes.count == copy.buffer.bytes.count)
  }

  @Test("after the first bytes of a body are discarded, the following bytes stay readable, and isComplete is false")
  func discarding() throws {
    let body = try makeBody(3_000_000)
    #expect(body.isComplete)
    body.discard(0..<(2 << 20) + 5)
    #expect(!body.isComplete)
    // The page with the position is kept.
    let other = try makeBody(3_000_000)
    #expect(body.bytes[(2 << 20)...].elementsEqual(other.bytes[(2 << 20)...]))
  }
}

private let metadata = ImageMetadata(identity: "test", version: 1, fetchedAtMs: 1)

/// A changeset of records with nested values, of at least so many bytes.
private func makeBody(_ size: Int) throws(RemoraError) -> ReceivedBody {
  var buffer = ByteBuffer()
  try buffer.reserve(size)
  try append(#"{"timestamp":1,"metadata":{},"changes":["#, to: &buffer)
  var number = 0
  repeat {
    if number > 0 { try append(",", to: &buffer) }
    try append(record(number), to: &buffer)
    number += 1
  } while buffer.count < size - 2
  try append("]}", to: &buffer)
  return ReceivedBody(buffer)
}

private func append(_ text: String, to buffer: inout ByteBuffer) throws(RemoraError) {
  try text.withBytes { bytes throws(RemoraError) in try buffer.append(bytes) }
}

private func record(_ number: Int) -> String {
  #"{"id":"billing-sidebar-rollout-\#(number)","last_modified":\#(number + 1),"v":true,"name":"billing sidebar","#
    + #""description":"Controls the rollout of the sidebar in the area billing for a part of the users","#
    + #""targeting":{"countries":["de","fr"],"version":{"min":"110.3","max":null},"share":0.25,"seed":\#(number)},"#
    + #""variants":[{"name":"control","weight":0.75,"parameters":{"delay":100,"factor":1.5}},"#
    + #"{"name":"rollout","weight":0.25,"parameters":{"delay":700,"factor":1.75}}],"#
    + #""links":{"help":"https://support.example.com/billing/sidebar/topic-\#(number)","owner":"billing@example.com"}}"#
}

/// Decodes and compiles a body, as a refresh does.
private func compile(_ body: consuming ReceivedBody) throws -> Image {
  let document = try collectionDecoder(.changeset, named: "the changeset", of: nil)
    .finish(DocumentText(discarding: body))
  let draft = Draft(full: document)
  return try writeImage(metadata, entries: draft.entries.lazy.map(ImageEntry.own), in: draft.memory, hashSeed: .test)
}

extension UnsafeRawBufferPointer {
  fileprivate func withDocument(_ body: (Document) throws -> Image) throws -> Image {
    let document = try decodeCollection(self, .changeset, named: "the changeset")
    return try withExtendedLifetime(document) { try body(document) }
  }
}
