// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Start-up time, and forks: metadata by calls that the compiler has resolved, not by names that the runtime parses
// under a lock, which another thread may hold during a fork. Size: no regular expressions, which every module imports
// unasked.
let unsafe: SwiftSetting = .unsafeFlags([
  "-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors",
  "-Xfrontend", "-disable-implicit-string-processing-module-import",
])
// SwiftPM may refuse unsafe flags in a dependency, which it clones to a folder with this name.
let isDependency = Context.packageDirectory.contains("/checkouts/")
let strict: [SwiftSetting] =
  [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ] + (isDependency ? [] : [unsafe])
// A release build optimizes the core only: to optimize its tests takes the compiler many minutes.
let ofTests: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .unsafeFlags(["-Onone", "-no-whole-module-optimization", "-enable-batch-mode"], .when(configuration: .release)),
]
let strictC: [CSetting] = [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra")]

let package = Package(
  name: "remora",
  products: [
    .library(name: "RemoraKit", targets: ["RemoraKit"]),
    .library(name: "remora", type: .dynamic, targets: ["RemoraC"]),
  ],
  targets: [
    // The C API, as every host sees it.
    .systemLibrary(name: "CRemora", path: "include"),

    // C libraries, one module each, used by one folder of the core each.
    .systemLibrary(name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
    .systemLibrary(name: "CXXHash", providers: [.apt(["libxxhash-dev"])]),
    // libcurl and libcrypto are loaded at the first request: headers, not a link.
    .target(name: "CSupport", cSettings: strictC),
    // What the Swift runtime lacks that is linked into the library; tests have another one.
    .target(name: "CSwiftRuntime", cSettings: strictC),
    .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CGetopt"),
    // What the tool needs to publish, and the library does not contain.
    .target(name: "CSigning", cSettings: strictC),

    .target(
      name: "Remora",
      dependencies: ["CJansson", "CXXHash", "CCurl", "COpenSSL", "CSupport"],
      swiftSettings: strict),
    // The Swift API.
    .target(name: "RemoraKit", dependencies: ["Remora"], swiftSettings: strict),
    .target(
      name: "RemoraC",
      dependencies: ["CRemora", "CSwiftRuntime", "Remora"],
      swiftSettings: strict,
      linkerSettings: [
        .unsafeFlags([
          "-static-stdlib",
          "-Xlinker", "--version-script=\(Context.packageDirectory)/abi/remora.map",
          "-Xlinker", "-soname=libremora.so.0",
          "-Xlinker", "-z", "-Xlinker", "nodelete",
        ])
      ]),
    // The command-line tool; CMake builds it as `remora`.
    .executableTarget(
      name: "remora-cli",
      dependencies: ["CGetopt", "CRemora", "CSigning", "Remora"],
      swiftSettings: strict,
      linkerSettings: [.unsafeFlags(["-static-stdlib"])]),
    // The simulation of the engine; CMake builds it optimized.
    .executableTarget(
      name: "remora-simulate", dependencies: ["Remora"], path: "Tests/Simulation",
      exclude: ["Faults", "make_signed_history.py"],
      swiftSettings: strict),
    // Reads a published tree, as the programs in other languages beside it do.
    .executableTarget(
      name: "published-reader", dependencies: ["RemoraKit"], path: "Tests/Stories/Published/Swift",
      swiftSettings: ofTests),
    // What tests need of C: forked children, users and mounts.
    .target(name: "CTestSupport", dependencies: ["CSupport"], path: "Tests/CTestSupport"),
    .testTarget(
      name: "RemoraTests",
      dependencies: ["Remora", "CJansson", "COpenSSL", "CSupport", "CTestSupport"],
      swiftSettings: ofTests,
      // The tests issue certificates with functions that the library itself does not use.
      linkerSettings: [.linkedLibrary("crypto")]),
    .testTarget(
      name: "RemoraKitTests",
      dependencies: ["Remora", "RemoraKit", "CTestSupport"],
      swiftSettings: ofTests),
  ]
)
