// swift-tools-version: 6.3
// Modules of Apple's systems that apps import beside Core Bluetooth and Security, as stand-ins for Linux. A package of its own:
// a module with Apple's name changes what `#if canImport` answers in a whole build, so each product is opted into alone.

import PackageDescription

/// Test code as apps write it: without the stricter rules above.
let appSettings: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let warnings: [CSetting] = [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra")]

let package = Package(
  name: "latchkey-shims",
  products: [
    .library(name: "LatchkeyShimCommonCrypto", targets: ["CommonCrypto"]),
    .library(name: "LatchkeyShimCompression", targets: ["Compression"]),
  ],
  targets: [
    .target(name: "CommonCrypto", cSettings: warnings, linkerSettings: [.linkedLibrary("crypto")]),
    .target(name: "Compression", cSettings: warnings, linkerSettings: [.linkedLibrary("z")]),
    .testTarget(name: "CommonCryptoTests", dependencies: ["CommonCrypto"], swiftSettings: appSettings),
    .testTarget(name: "CompressionTests", dependencies: ["Compression"], swiftSettings: appSettings),
  ],
  swiftLanguageModes: [.v6]
)
