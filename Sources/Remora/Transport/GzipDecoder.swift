// SPDX-License-Identifier: Apache-2.0
//
// Decodes one gzip member as it arrives. libcurl could, but takes a cut member for a whole one.
// Invariant: never gives out more than it may. Touched by the driving thread only.

internal import CCurl

/// A decoder with its memory, which `free` gives back.
struct GzipDecoder {
  /// Why decoding cannot go on.
  enum Problem { case tooLarge, malformed }

  /// Whether the member came to its end, its checksum and length being right.
  private(set) var isComplete = false
  /// zlib's state; it may not move.
  private let stream: UnsafeMutablePointer<z_stream>
  /// Where zlib puts the next bytes.
  private let window: UnsafeMutableRawBufferPointer

  /// Begins a member; nil without memory.
  init?() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard rcurl_inflate_begin(stream) == Z_OK else {
      stream.deallocate()
      return nil
    }
    window = .allocate(byteCount: 32 << 10, alignment: 16)
  }

  /// Appends what the bytes decode to; `body` never grows beyond `limit`.
  mutating func decode(_ bytes: UnsafeRawBufferPointer, into body: inout [UInt8], limit: Int) -> Problem? {
    guard !bytes.isEmpty else { return nil }
    guard !isComplete, let count = UInt32(exactly: bytes.count) else { return .malformed }
    // zlib does not write to its input; the pointer's type is older than const.
    stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.assumingMemoryBound(to: UInt8.self).baseAddress)
    stream.pointee.avail_in = count
    repeat {
      stream.pointee.next_out = window.assumingMemoryBound(to: UInt8.self).baseAddress
      stream.pointee.avail_out = UInt32(window.count)
      let code = rcurl_inflate(stream)
      let decoded = window.count - Int(stream.pointee.avail_out)
      guard decoded <= limit - body.count else { return .tooLarge }
      body.append(contentsOf: window[..<decoded])
      switch code {
      case Z_STREAM_END:
        isComplete = true
        return stream.pointee.avail_in == 0 ? nil : .malformed
      case Z_OK:
        continue
      case Z_BUF_ERROR:  // all is read and written that can be
        return nil
      default:
        return .malformed
      }
    } while stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0
    return nil
  }

  /// Gives the memory back.
  func free() {
    rcurl_inflate_end(stream)
    stream.deallocate()
    window.deallocate()
  }
}
