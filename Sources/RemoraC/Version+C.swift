// SPDX-License-Identifier: Apache-2.0
//
// Section "version" of remora.h.

internal import CRemora

@_cdecl("remora_version") @implementation
public func remora_version() -> UnsafePointer<CChar>? { ("0.1.0" as StaticString).cString }
