// SPDX-License-Identifier: Apache-2.0
//
// The names of the constants in the header's enumerations, for logs and reports by hosts.

internal import CRemora
internal import Remora

@_cdecl("remora_origin_name") @implementation
public func remora_origin_name(_ origin: Int32) -> UnsafePointer<CChar>? { Origin(rawValue: origin).name.cString }

@_cdecl("remora_outcome_name") @implementation
public func remora_outcome_name(_ outcome: Int32) -> UnsafePointer<CChar>? { Outcome(rawValue: outcome).name.cString }

@_cdecl("remora_cause_name") @implementation
public func remora_cause_name(_ cause: Int32) -> UnsafePointer<CChar>? { Cause(rawValue: cause).name.cString }

extension Origin? {
  fileprivate var name: StaticString {
    switch self {
    case .some(.none): "none"
    case .defaults: "default"
    case .packaged: "packaged"
    case .cached: "cached"
    case .fetched: "fetched"
    case .override: "override"
    case nil: "unknown"
    }
  }
}

extension Outcome? {
  fileprivate var name: StaticString {
    switch self {
    case .some(.none): "none"
    case .updated: "updated"
    case .unchanged: "unchanged"
    case .notNewer: "not_newer"
    case .staged: "staged"
    case .refused: "refused"
    case .failed: "failed"
    case nil: "unknown"
    }
  }
}

extension Cause? {
  fileprivate var name: StaticString {
    switch self {
    case .opened: "opened"
    case .refreshed: "refreshed"
    case .adopted: "adopted"
    case .reset: "reset"
    case .context: "context"
    case .override: "override"
    case .activated: "activated"
    case nil: "unknown"
    }
  }
}
