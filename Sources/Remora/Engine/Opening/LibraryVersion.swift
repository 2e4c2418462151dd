// SPDX-License-Identifier: Apache-2.0

/// The version of the library, which is that of the C header.
package enum LibraryVersion {
  package static var text: StaticString { "0.1.0" }
}
