// SPDX-License-Identifier: Apache-2.0
//
// Cleans up one element of a bundle: fields of a wrong type or range are removed with a warning; null counts as absent.
// Members that the schema does not define are unchanged.

/// The maximum length of a namespace, in characters.
private let longestNamespace = 4096

/// Returns the namespace of an element; nil, with a warning, if it cannot be used.
func namespaceName(of element: JSONView, at place: String, _ warnings: inout DocumentWarnings) -> [UInt8]? {
  guard element.isObject else {
    warnings.add(place, "is \(element.type.name), not an object, and is skipped")
    return nil
  }
  guard let name = element.member("namespace"), let bytes = name.stringBytes else {
    warnings.add(place, "has no namespace, and is skipped")
    return nil
  }
  let length = String(decoding: bytes, as: UTF8.self).unicodeScalars.count
  guard (1...longestNamespace).contains(length), !bytes.contains(0) else {
    warnings.add("\(place)/namespace", "is empty, is too long or contains a NUL; the element is skipped")
    return nil
  }
  return Array(bytes)
}

/// Removes unusable fields. Returns whether the element has a network configuration; an element without one removes its
/// namespace.
func cleanElement(
  _ element: JSONView, at place: String, _ warnings: inout DocumentWarnings
) throws(RemoraError) -> Bool {
  var hasNetwork = false
  for (name, value) in element.members {
    guard let section = BundleSection(rawValue: String(decoding: name, as: UTF8.self)) else { continue }
    if value.type == .null {
      element.remove(name)
    } else if !value.isObject {
      warnings.add("\(place)/\(section.rawValue)", "is \(value.type.name), not an object, and is ignored")
      element.remove(name)
    } else {
      try clean(value, section, at: "\(place)/\(section.rawValue)", &warnings)
      guard section == .network else { continue }
      hasNetwork = value.member("endpoint") != nil
      if !hasNetwork {
        warnings.add("\(place)/\(section.rawValue)", "has no endpoint, and is ignored")
        element.remove(name)
      }
    }
  }
  return hasNetwork
}

private func clean(
  _ object: JSONView, _ section: BundleSection, at place: String, _ warnings: inout DocumentWarnings
) throws(RemoraError) {
  for (name, value) in object.members {
    let field = String(decoding: name, as: UTF8.self)
    guard let rule = section.rule(of: field) else { continue }
    if value.type == .null {
      object.remove(name)
    } else if rule == .retries, value.isObject {
      cleanRetries(value, at: "\(place)/\(field)", &warnings)
    } else {
      switch rule.judge(value) {
      case .usable: break
      case .written(let text): try object.put(text, as: name)
      case .replaced(let text, let problem):
        warnings.add("\(place)/\(field)", problem)
        try object.put(text, as: name)
      case .unusable(let problem):
        warnings.add("\(place)/\(field)", "\(problem), and is ignored")
        object.remove(name)
      }
    }
  }
}

/// Removes entries of a retry map whose names are not digits or whose values are not booleans.
private func cleanRetries(_ map: JSONView, at place: String, _ warnings: inout DocumentWarnings) {
  for (name, value) in map.members {
    if name.isEmpty || !name.allSatisfy(isDigit) {
      warnings.add("\(place)/\(pointerToken(name))", "is not an HTTP status code, and is ignored")
    } else if value.type != .bool {
      warnings.add("\(place)/\(pointerToken(name))", "is \(value.type.name), not a boolean, and is ignored")
    } else {
      continue
    }
    map.remove(name)
  }
}
