// SPDX-License-Identifier: Apache-2.0
//
// A check for which OpenSSL has no memory says nothing about the server, so it is no error of trust.

import Glibc
import Testing

@testable import Remora

@Suite("Checks without memory")
struct OutOfMemoryTests {
  /// Adds a failed allocation to OpenSSL's errors of this thread, as OpenSSL does inside of a call.
  private func failAllocation() throws {
    TestTransport.load()
    let library = try #require(dlopen("libcrypto.so.3", RTLD_NOW | RTLD_NOLOAD))
    let begin = try #require(dlsym(library, "ERR_new"))
    let set = try #require(dlsym(library, "ERR_vset_error"))
    unsafeBitCast(begin, to: (@convention(c) () -> Void).self)()
    typealias SetErrorList = @convention(c) (Int32, Int32, UnsafePointer<CChar>?, UnsafeMutableRawPointer?) -> Void
    // ERR_R_MALLOC_FAILURE
    unsafeBitCast(set, to: SetErrorList.self)(13, 256 | (3 << 18), nil, nil)
  }

  @Test("a certificate that cannot be decoded for a lack of memory is not malformed")
  func certificate() throws {
    try failAllocation()
    let error = #expect(throws: RemoraError.self) { try Certificate(der: [1, 2, 3], position: 1) }
    #expect(error?.code == .unavailable)
    let other = #expect(throws: RemoraError.self) { try Certificate(der: [1, 2, 3], position: 1) }
    #expect(other?.code == .chainMalformed)
  }

  @Test("a reason of OpenSSL is a lack of memory if any of its errors is one")
  func reason() throws {
    try failAllocation()
    #expect(Libcrypto.drainErrors() == "malloc failure")
    #expect(Libcrypto.drainErrors() == "no reason given")
  }
}
