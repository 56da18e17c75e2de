// swift-tools-version: 6.3
// The Swift code of README.md as it stands there, and that of the pages of enrollment: `Scripts/check-readme` compares them.

import PackageDescription

let package = Package(
  name: "snippets",
  products: [
    .executable(name: "scan", targets: ["scan"]),
    .executable(name: "enroll", targets: ["enroll"]),
    .executable(name: "transfer", targets: ["transfer"]),
  ],
  dependencies: [
    .package(name: "latchkey", path: "../..", traits: ["Service"]),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
    .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
  ],
  targets: [
    .executableTarget(name: "scan", dependencies: [.product(name: "LatchkeyBluetooth", package: "latchkey")]),
    .executableTarget(name: "enroll", dependencies: [.product(name: "LatchkeyEnrollment", package: "latchkey")]),
    .executableTarget(name: "transfer", dependencies: [.product(name: "LatchkeyEnrollment", package: "latchkey")]),
    // Parts of pages, in functions with what the page takes as given.
    .target(
      name: "EnrollmentPages",
      dependencies: [
        .product(name: "LatchkeyEnrollment", package: "latchkey"),
        .product(name: "LatchkeyEnrollmentServer", package: "latchkey"),
        .product(name: "LatchkeySealedMessages", package: "latchkey"),
        .product(name: "LatchkeySecurity", package: "latchkey"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
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
