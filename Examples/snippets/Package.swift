// swift-tools-version: 6.3
// The Swift code of README.md, as it stands there: `Scripts/check-readme` compares the two.

import PackageDescription

let package = Package(
  name: "snippets",
  products: [
    .executable(name: "scan", targets: ["scan"]),
    .executable(name: "enroll", targets: ["enroll"]),
  ],
  dependencies: [.package(name: "latchkey", path: "../..", traits: ["Service"])],
  targets: [
    .executableTarget(name: "scan", dependencies: [.product(name: "LatchkeyBluetooth", package: "latchkey")]),
    .executableTarget(name: "enroll", dependencies: [.product(name: "LatchkeyEnrollment", package: "latchkey")]),
    .testTarget(
      name: "BluetoothSnippetTests", dependencies: [.product(name: "LatchkeyBluetooth", package: "latchkey")]),
    .testTarget(
      name: "KeychainSnippetTests",
      dependencies: [
        .product(name: "LatchkeySecurity", package: "latchkey"),
        .product(name: "LatchkeyTesting", package: "latchkey"),
      ]),
  ]
)
