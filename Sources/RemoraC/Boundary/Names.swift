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

@_cdecl("remora_source_kind_name") @implementation
public func remora_source_kind_name(_ kind: Int32) -> UnsafePointer<CChar>? {
  (SourceKind(rawValue: kind)?.word ?? "unknown").cString
}

@_cdecl("remora_change_kind_name") @implementation
public func remora_change_kind_name(_ kind: Int32) -> UnsafePointer<CChar>? {
  (ChangeKind(rawValue: kind)?.word ?? "unknown").cString
}

@_cdecl("remora_freshness_name") @implementation
public func remora_freshness_name(_ freshness: Int32) -> UnsafePointer<CChar>? {
  Freshness(rawValue: freshness).name.cString
}

@_cdecl("remora_type_name") @implementation
public func remora_type_name(_ type: Int32) -> UnsafePointer<CChar>? { typeName(type).cString }

@_cdecl("remora_family_name") @implementation
public func remora_family_name(_ family: Int32) -> UnsafePointer<CChar>? { familyName(family).cString }

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
    case .rejected: "rejected"
    case .freshness: "freshness"
    case nil: "unknown"
    }
  }
}

extension Freshness? {
  fileprivate var name: StaticString {
    switch self {
    case .some(.none): "none"
    case .never: "never"
    case .fresh: "fresh"
    case .stale: "stale"
    case nil: "unknown"
    }
  }
}

private func typeName(_ type: Int32) -> StaticString {
  guard type != REMORA_TYPE_NONE else { return "none" }
  return UInt8(exactly: type).flatMap(ValueType.init(rawValue:))?.word ?? "unknown"
}

private func familyName(_ family: Int32) -> StaticString {
  switch family {
  case REMORA_FAMILY_NONE: "none"
  case REMORA_FAMILY_NETWORK: "network"
  case REMORA_FAMILY_DOCUMENT: "document"
  case REMORA_FAMILY_TRUST: "trust"
  case REMORA_FAMILY_FRESHNESS: "freshness"
  case REMORA_FAMILY_STORAGE: "storage"
  case REMORA_FAMILY_SYSTEM: "system"
  case REMORA_FAMILY_CALL: "call"
  default: "unknown"
  }
}
