// SPDX-License-Identifier: Apache-2.0
//
// The fields of a bundle's sections, with their types and ranges: those of the schema 1-0-1, and others that the
// trackers read.

enum BundleSection: String {
  case network = "networkConfiguration"
  case tracker = "trackerConfiguration"
  case subject = "subjectConfiguration"
  case session = "sessionConfiguration"
  case emitter = "emitterConfiguration"

  /// Returns the rule for a field; nil for an unknown field, which is unchanged.
  func rule(of field: String) -> FieldRule? {
    switch self {
    case .network:
      switch field {
      case "endpoint": .text(longest: 2048, mayBeEmpty: false)
      case "method": .method
      default: nil
      }
    case .tracker:
      switch field {
      case "appId": .text(longest: 4096)
      case "devicePlatform": .choice(["web", "mob", "pc", "srv", "app", "tv", "cnsl", "iot", "headset"])
      case "logLevel": .lowerCase(["off", "error", "debug", "verbose"])
      case "sessionContext", "applicationContext", "platformContext", "geoLocationContext", "screenContext",
        "deepLinkContext", "immersiveSpaceContext", "screenViewAutotracking", "screenEngagementAutotracking",
        "lifecycleAutotracking", "installAutotracking", "exceptionAutotracking", "diagnosticAutotracking",
        "userAnonymisation", "base64encoding":
        .boolean
      default: nil
      }
    case .subject:
      switch field {
      case "userId", "networkUserId", "domainUserId", "useragent", "ipAddress", "timezone", "language":
        .text(longest: 4096)
      default: nil
      }
    case .session:
      switch field {
      case "backgroundTimeout", "foregroundTimeout": .integer(0 ... .max)
      default: nil
      }
    case .emitter:
      switch field {
      case "bufferOption": .choice(["Single", "DefaultGroup", "HeavyGroup", "SmallGroup", "LargeGroup"])
      case "emitRange", "threadPoolSize", "byteLimitGet", "byteLimitPost": .integer(0...2_147_483_647)
      case "maxEventStoreAge", "maxEventStoreSize": .integer(0 ... .max)
      case "serverAnonymisation", "retryFailedRequests": .boolean
      case "customRetryForStatusCodes": .retries
      default: nil
      }
    }
  }
}

/// The rule for the value of a field.
enum FieldRule: Equatable {
  case boolean
  /// A string of at most `longest` characters.
  case text(longest: Int, mayBeEmpty: Bool = true)
  case integer(ClosedRange<Int64>)
  /// One of these words.
  case choice([String])
  /// One of these words in any case; stored in lower case.
  case lowerCase([String])
  /// get or post in any case; anything else means post.
  case method
  /// An object of booleans, whose names are HTTP status codes.
  case retries

  enum Verdict {
    case usable
    /// Usable after rewriting it in this form.
    case written(String)
    /// Replaced by this text, because of the problem.
    case replaced(String, String)
    case unusable(String)
  }

  /// Checks a value that is not null.
  func judge(_ value: JSONView) -> Verdict {
    switch self {
    case .boolean: value.type == .bool ? .usable : mismatch(value, "a boolean")
    case .integer(let range): judge(value, range)
    case .retries: mismatch(value, "an object")
    case .text, .choice, .lowerCase, .method:
      if let text = value.string { judge(text) } else { mismatch(value, "a string") }
    }
  }

  private func mismatch(_ value: JSONView, _ wanted: String) -> Verdict {
    .unusable("is \(value.type.name), not \(wanted)")
  }

  private func judge(_ value: JSONView, _ range: ClosedRange<Int64>) -> Verdict {
    guard let number = value.wholeNumber else { return mismatch(value, "an integer") }
    return range.contains(number) ? .usable : .unusable("is not between \(range.lowerBound) and \(range.upperBound)")
  }

  private func judge(_ text: String) -> Verdict {
    switch self {
    case .text(let longest, let mayBeEmpty):
      if text.isEmpty, !mayBeEmpty { return .unusable("is empty") }
      return text.unicodeScalars.count <= longest ? .usable : .unusable("has more than \(longest) characters")
    case .choice(let words): return words.contains(text) ? .usable : .unusable("is not one of \(list(words))")
    case .lowerCase(let words):
      let word = text.lowercased()
      guard words.contains(word) else { return .unusable("is not one of \(list(words))") }
      return word == text ? .usable : .written(word)
    case .method:
      let word = text.lowercased()
      guard word == "get" || word == "post" else { return .replaced("post", "is neither get nor post: post is used") }
      return word == text ? .usable : .written(word)
    case .boolean, .integer, .retries: return .usable
    }
  }

  private func list(_ words: [String]) -> String { words.joined(separator: ", ") }
}
