// SPDX-License-Identifier: Apache-2.0
//
// Section "version" of remora.h.

internal import CRemora

/// The text that `remora_version` gives out; never freed.
private let version: StaticString = "0.1.0"

@_cdecl("remora_version") @implementation
public func remora_version() -> UnsafePointer<CChar>? {
  UnsafeRawPointer(version.utf8Start).assumingMemoryBound(to: CChar.self)
}
