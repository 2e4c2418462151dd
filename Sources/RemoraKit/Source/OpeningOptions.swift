// SPDX-License-Identifier: Apache-2.0
//
// The options that several kinds of source share.

internal import Remora

/// When fetched data becomes live; until then it is staged.
public enum Activation: String, CaseIterable, Sendable {
  /// At once.
  case immediate
  /// When the source is opened again, or `Source.activate` is called.
  case nextSetup
  /// When `Source.activate` is called. A restart of the program does not make the data live.
  case manual
}

/// A document packaged with the program. Reads return it until fetched data becomes live.
public enum PackagedData: Hashable, Sendable {
  /// The path of a file.
  case file(String)
  /// The bytes of the document.
  case bytes([UInt8])

  var core: Remora.PackagedData {
    switch self {
    case .file(let path): .file(path)
    case .bytes(let bytes): .bytes(bytes)
    }
  }
}

extension ActivationMode {
  init(_ activation: Activation) {
    switch activation {
    case .immediate: self = .immediate
    case .nextSetup: self = .nextSetup
    case .manual: self = .manual
    }
  }
}

extension Remora.OpeningOptions {
  /// Creates the options that all kinds of source share.
  ///
  /// - Parameter fetch: Whether opening starts a refresh; nil means the default of the kind.
  /// - Throws: `.invalidArgument` for the interval, and for the rules of acceptance.
  init(
    fetch: Bool?, _ interval: Duration?, persistOverrides: Bool, _ accepts: AcceptanceRules
  ) throws(Remora.RemoraError) {
    self.init()
    if let fetch { firstFetch = fetch ? .atOpen : .onRequest }
    try setRefreshInterval(ms: interval?.ms)
    persistsOverrides = persistOverrides
    shape = try accepts.core()
  }
}
