// SPDX-License-Identifier: Apache-2.0
//
// The system's name of the calling thread.

import Glibc

/// The name of the calling thread.
func currentThreadName() -> String {
  var name = [UInt8](repeating: 0, count: 16)
  let file = open("/proc/thread-self/comm", O_RDONLY | O_CLOEXEC)
  defer { close(file) }
  let length = max(0, read(file, &name, name.count))
  return String(decoding: name.prefix(length).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
}
