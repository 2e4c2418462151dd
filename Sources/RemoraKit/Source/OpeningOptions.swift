// SPDX-License-Identifier: Apache-2.0
//
// The options that several kinds of source share.

internal import Remora

/// When fetched data becomes live.
public enum Activation: String, CaseIterable, Sendable {
  /// At once.
  case immediate
  /// When the next client opens the source.
  case nextSetup
  /// When the host calls `activate`.
  case manual
}

/// A document that is packaged with the program: used until data was fetched.
public enum PackagedData: Hashable, Sendable {
  /// The path of a file.
  case file(String)
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
  /// - Throws: `.invalidArgument` for the interval.
  init(fetch: Bool, _ interval: Duration?, persistOverrides: Bool) throws(Remora.RemoraError) {
    self.init()
    firstFetch = fetch ? .atOpen : .onRequest
    try setRefreshInterval(ms: interval?.ms)
    persistsOverrides = persistOverrides
  }
}
