// SPDX-License-Identifier: Apache-2.0
//
// The options of the sources that hosts open.

import Remora

enum Openings {
  static func collection(isSigned: Bool, _ activation: ActivationMode) -> CollectionOptions {
    var options = CollectionOptions()
    options.collection = "c"
    options.requiresSignature = isSigned
    if isSigned {
      options.rootSHA256 = SignedHistory.rootSHA256
      options.signer = SignedHistory.signer
    }
    options.activation = activation
    return options
  }

  static func settings(_ activation: ActivationMode, persists: Bool) -> SettingsOptions {
    var options = SettingsOptions()
    options.url = "\(Server.origin)/settings"
    options.activation = activation
    options.opening.firstFetch = .onRequest
    options.opening.persistsOverrides = persists
    return options
  }

  static func bundle(persists: Bool) -> BundleOptions {
    var options = BundleOptions()
    options.url = "\(Server.origin)/bundle"
    options.opening.firstFetch = .onRequest
    options.opening.persistsOverrides = persists
    return options
  }
}

extension Kind {
  /// Keys that hosts set overrides of.
  var keys: [String] {
    switch self {
    case .collection: ["r0", "own"]
    case .settings: ["a", "own"]
    case .bundle: ["main", "own"]
    }
  }
}

extension HostSteps {
  /// Opens a source that is not open, and sometimes refreshes it at once.
  func open(_ client: Client) {
    guard let kind = world.random.pick(Kind.allCases.filter({ process.sources[$0] == nil })) else { return }
    let activation = kind == .bundle ? .immediate : world.activations[kind.rawValue]
    let persists = kind != .collection
    let expected = world.invariants.willOpen(kind)
    let failures = process.failures
    var handle: OpenSource?
    switch kind {
    case .collection:
      handle = try? client.openCollection(Openings.collection(isSigned: world.server.isSigned, activation))
    case .settings:
      var options = Openings.settings(activation, persists: persists)
      if world.random.oneIn(3) { options.opening.refreshIntervalMs = 60_000 }
      handle = try? client.openSettings(options)
    case .bundle: handle = try? client.openBundle(Openings.bundle(persists: persists))
    }
    guard let handle, !process.isDead else { return }
    let opened = OpenedSource(kind, handle, of: process, activation, persistsOverrides: persists)
    opened.rejecting.failuresBefore = failures
    process.sources[kind] = opened
    world.invariants.didOpen(opened, expected, of: process)
    if world.random.oneIn(3) { refresh(opened) }
  }
}
