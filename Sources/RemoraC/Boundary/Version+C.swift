// SPDX-License-Identifier: Apache-2.0
//
// Section "version" of remora.h.

internal import CRemora
internal import Remora

@_cdecl("remora_version") @implementation
public func remora_version() -> UnsafePointer<CChar>? { LibraryVersion.text.cString }
