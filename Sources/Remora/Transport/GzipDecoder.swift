// SPDX-License-Identifier: Apache-2.0
//
// Decodes one gzip member as it arrives. libcurl can do so too, but accepts a truncated member as complete.
// Invariant: never produces more bytes than its limit. Used by the driving thread only.

internal import CCurl

/// A gzip decoder with its memory, which `free` releases.
struct GzipDecoder {
  /// A reason to stop decoding.
  enum Problem { case tooLarge, malformed, noMemory }

  /// Whether the member is complete, with the right checksum and length.
  private(set) var isComplete = false
  /// zlib's state, which must not move in memory.
  private let stream: UnsafeMutablePointer<z_stream>
  /// The buffer to which zlib writes the next bytes.
  private let window: UnsafeMutableRawBufferPointer

  /// Starts a member; nil if memory is exhausted.
  init?() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard rcurl_inflate_begin(stream) == Z_OK else {
      stream.deallocate()
      return nil
    }
    window = .allocate(byteCount: 32 << 10, alignment: 16)
  }

  /// Decodes `bytes` and appends the result to `body`, which never grows beyond `limit`.
  mutating func decode(_ bytes: UnsafeRawBufferPointer, into body: inout ByteBuffer, limit: Int) -> Problem? {
    guard !bytes.isEmpty else { return nil }
    guard !isComplete, let count = UInt32(exactly: bytes.count) else { return .malformed }
    // zlib does not write to its input; its declaration just lacks const.
    stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.assumingMemoryBound(to: UInt8.self).baseAddress)
    stream.pointee.avail_in = count
    repeat {
      stream.pointee.next_out = window.assumingMemoryBound(to: UInt8.self).baseAddress
      stream.pointee.avail_out = UInt32(window.count)
      let code = rcurl_inflate(stream)
      let decoded = window.count - Int(stream.pointee.avail_out)
      guard decoded <= limit - body.count else { return .tooLarge }
      do throws(RemoraError) {
        try body.append(UnsafeRawBufferPointer(rebasing: window[..<decoded]))
      } catch {
        return .noMemory
      }
      switch code {
      case Z_STREAM_END:
        isComplete = true
        return stream.pointee.avail_in == 0 ? nil : .malformed
      case Z_OK:
        continue
      case Z_BUF_ERROR:  // all input is read, or the output is full
        return nil
      default:
        return .malformed
      }
    } while stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0
    return nil
  }

  /// Frees the memory.
  func free() {
    rcurl_inflate_end(stream)
    stream.deallocate()
    window.deallocate()
  }
}
