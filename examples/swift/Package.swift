// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
  name: "examples",
  dependencies: [
    .package(name: "remora", path: "../..")
  ],
  targets: [
    .executableTarget(name: "quickstart", dependencies: [.product(name: "RemoraKit", package: "remora")]),
    .executableTarget(name: "settings", dependencies: [.product(name: "RemoraKit", package: "remora")]),
    .executableTarget(name: "bundle", dependencies: [.product(name: "RemoraKit", package: "remora")]),
    .executableTarget(name: "seed", dependencies: [.product(name: "RemoraKit", package: "remora")]),
  ]
)
