// SPDX-License-Identifier: Apache-2.0
//
// A destination in the memory of a test, and the answers of a server that knows Range.

@testable import Remora

/// Takes bodies as a file would.
final class Landing: Sendable {
  /// What is there.
  let bytes: Box<[UInt8]>
  /// What progress was told.
  let told = Box<[Int]>([])
  /// The answer of every write from now on.
  let failure = Box<Int32>(0)

  init(_ bytes: [UInt8] = []) { self.bytes = Box(bytes) }

  /// A destination whose closures hold this object, and `held` with it.
  func destination(limit: Int = 1 << 20, holding held: AnyObject & Sendable = Nothing()) -> BodyDestination {
    BodyDestination(
      offset: bytes.read(\.count), limit: limit,
      write: { [self] chunk, offset in
        withExtendedLifetime(held) { write(chunk, at: offset) }
      },
      progress: { [told] count in told.update { $0.append(count) } })
  }

  private func write(_ chunk: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
    let failure = failure.read { $0 }
    guard failure == 0 else { return failure }
    bytes.update { bytes in
      precondition(offset <= bytes.count, "a gap")
      bytes.removeSubrange(offset...)
      bytes += chunk
    }
    return 0
  }

  final class Nothing: Sendable {}
}

/// Tells when it is let go.
final class Tracer: Sendable {
  private let onEnd: @Sendable () -> Void

  init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

  deinit { onEnd() }
}

extension HTTPRequest {
  /// A request whose body goes to a destination.
  init(url: String, to destination: BodyDestination, options: TransportOptions = TransportOptions()) {
    self.init(url: url, options: options)
    self.destination = destination
  }
}

/// The answer of a server that knows Range to a request for these bytes.
func rangedAnswer(_ request: String, _ body: [UInt8], headers: [String] = []) -> [UInt8] {
  guard let start = rangeStart(of: request) else { return answerBytes(headers: headers, body: body) }
  guard start < body.count else {
    return answerBytes("416 Range Not Satisfiable", headers: headers + ["Content-Range: bytes */\(body.count)"])
  }
  let range = "Content-Range: bytes \(start)-\(body.count - 1)/\(body.count)"
  return answerBytes("206 Partial Content", headers: headers + [range], body: Array(body[start...]))
}

/// The first byte that a request asks for by Range, if it does.
func rangeStart(of request: String) -> Int? {
  let prefix = "range: bytes="
  let line = request.split(separator: "\r\n").first { $0.lowercased().hasPrefix(prefix) }
  return line.flatMap { Int($0.dropFirst(prefix.count).dropLast()) }
}
