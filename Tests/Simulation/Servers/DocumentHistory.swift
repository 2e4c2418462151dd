// SPDX-License-Identifier: Apache-2.0
//
// The settings and the bundle of the server: each version is a function of its number.

/// The versions of the settings: 1, 2, … An experiment begins with a version, is there for some, and never returns.
enum SettingsHistory {
  /// How many versions have the same experiment.
  private static let experimentLife = 5

  static func body(at version: Int) -> String {
    let experiment = "e\(version / experimentLife)"
    return """
      {"n":\(version),"a":{"x":\(version % 3)},"b":"t\(version)",\
      "experiments":[{"name":"\(experiment)","variant":"v"}]}
      """
  }
}

/// The versions of the bundle: 1, 2, …
enum BundleHistory {
  static func body(at version: Int) -> String {
    let elements = content(at: version).sorted { $0.key < $1.key }.map {
      #"{"namespace":"\#($0.key)","networkConfiguration":{"endpoint":"https://a.example"},"n":\#($0.value)}"#
    }
    return #"{"$schema":"http://\#(schema)-0-0","configurationVersion":\#(version),"#
      + #""configurationBundle":[\#(elements.joined(separator: ","))]}"#
  }

  /// What each namespace says that a version lists.
  static func content(at version: Int) -> [String: Int64] {
    var content = ["main": Int64(version)]
    if version % 3 != 0 { content["second"] = Int64(version) }
    return content
  }

  private static let schema = "iglucentral.com/schemas/com.snowplowanalytics.mobile/remote_config/jsonschema/1"
}
