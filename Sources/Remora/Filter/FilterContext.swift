// SPDX-License-Identifier: Apache-2.0
//
// The attributes of the application that filter expressions read: the host's JSON object.

/// The application's attributes; immutable. A class, so that contexts can be compared by identity.
package final class FilterContext: Sendable {
  /// The identifiers of expressions: `env`.
  let identifiers: FilterValue
  /// The preferences, which the preference transforms read.
  let preferences: FilterValue

  package init(identifiers: FilterValue, preferences: FilterValue = .object([])) {
    self.identifiers = identifiers
    self.preferences = preferences
  }

  /// Creates the context of a host that has set none.
  package convenience init() { self.init(environment: [:], preferences: .object([])) }

  /// The maximum length of a context, in bytes.
  package static let maximumLength = 1 << 20

  /// Parses a context from a JSON object.
  ///
  /// - Parameter parameter: The name of the argument in the C header.
  /// - Throws: `.invalidArgument` naming the parameter and the problem.
  package convenience init(json: String, as parameter: String = "context_json") throws(RemoraError) {
    guard json.utf8.count <= Self.maximumLength else {
      throw .invalidArgument(parameter, "has \(json.utf8.count) bytes; at most \(Self.maximumLength) are allowed")
    }
    var members = ContextMembers()
    do throws(RemoraError) {
      try json.withBytes { bytes throws(RemoraError) in
        try JSONReader.read(bytes, named: ContextMembers.document, &members)
      }
    } catch {
      let isOfJSON = error.code != .tooLarge && error.code != .unavailable
      throw isOfJSON ? .invalidArgument(parameter, "cannot be used: \(error.message)") : error
    }
    let known = try KnownMembers(takenFrom: &members.values, of: parameter)
    let environment = known.environment.merging(members.values) { known, custom in
      if case (.object(let known), .object(let custom)) = (known, custom) { merged(known, custom) } else { custom }
    }
    self.init(environment: environment, preferences: known.preferences)
  }

  private convenience init(environment: [String: FilterValue], preferences: FilterValue) {
    self.init(identifiers: object(["env": object(environment)]), preferences: preferences)
  }
}

/// The members of a context, by name.
private struct ContextMembers: JSONVisitor {
  /// The name of the document in messages.
  static let document = "the context"

  var values: [String: FilterValue] = [:]

  mutating func enter(_ place: JSONPlace, _ type: ValueType) -> Bool {
    if case .document = place { type == .object } else { false }
  }

  mutating func visit(_ value: consuming ParsedJSON, at place: JSONPlace) throws(RemoraError) {
    guard case .member(let name, _) = place else { throw .format(Self.document, "is not a JSON object") }
    values[name] = try withCompiled(value) { FilterValue($0) }
  }
}

/// The members of a context that have a predefined meaning.
private struct KnownMembers {
  private(set) var environment: [String: FilterValue] = [:]
  private(set) var preferences = FilterValue.object([])

  /// Removes the known members from `given`, and keeps the rest. `parameter` is the name of the argument in errors.
  init(takenFrom given: inout [String: FilterValue], of parameter: String) throws(RemoraError) {
    if let preferences = given.removeValue(forKey: "preferences") {
      guard case .object = preferences else {
        throw .invalidArgument(
          parameter,
          "cannot be used: the member \"preferences\" of the context is \(preferences.typeName), not an object")
      }
      self.preferences = preferences
    }
    func text(_ name: String) throws(RemoraError) -> FilterValue? {
      try Self.text(name, from: &given, of: parameter)
    }
    let appID = try text("app_id")
    let appVersion = try text("app_version")
    let os = try text("os")
    let osVersion = try text("os_version")
    let formFactor = try text("form_factor")
    let system = ["name": os, "version": osVersion].compactMapValues { $0 }
    let application = ["ID": appID, "OS": os, "os": object(system)].compactMapValues { $0 }
    environment = ["version": appVersion, "formFactor": formFactor].compactMapValues { $0 }
    environment["channel"] = try text("channel") ?? .null
    environment["locale"] = try text("locale")
    environment["country"] = try text("country")
    environment["os"] = object(system.merging(Self.platform(os)) { $1 })
    environment["appinfo"] = object(application)
  }

  /// Returns the booleans by which Firefox describes the operating system; none without its name.
  private static func platform(_ name: FilterValue?) -> [String: FilterValue] {
    guard case .string(let bytes)? = name else { return [:] }
    let lowercase = String(decoding: bytes.map(lowercased), as: UTF8.self)
    return [
      "isWindows": .bool(["windows", "winnt"].contains(lowercase)),
      "isMac": .bool(["macos", "darwin"].contains(lowercase)),
      "isLinux": .bool(lowercase == "linux"),
    ]
  }

  /// Removes and returns a string member; null counts as absent.
  private static func text(
    _ name: String, from given: inout [String: FilterValue], of parameter: String
  ) throws(RemoraError) -> FilterValue? {
    switch given.removeValue(forKey: name) {
    case nil, .null?: return nil
    case .string(let bytes)?: return .string(bytes)
    case let other?:
      throw .invalidArgument(
        parameter, "cannot be used: the member \"\(name)\" of the context is \(other.typeName), not a string")
    }
  }
}

/// Returns an object with the members of both, those of the second one where names are equal.
private func merged(_ first: [FilterMember], _ second: [FilterMember]) -> FilterValue {
  let kept = first.filter { member in !second.contains { $0.name == member.name } }
  return .object((kept + second).sorted { $0.name.lexicographicallyPrecedes($1.name) })
}

private func object(_ members: [String: FilterValue]) -> FilterValue {
  let members = members.map { FilterMember(Array($0.key.utf8), $0.value) }
  return .object(members.sorted { $0.name.lexicographicallyPrecedes($1.name) })
}
