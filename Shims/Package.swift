// swift-tools-version: 6.3
// Modules of Apple's systems that apps import beside Core Bluetooth and Security, as stand-ins for Linux. A package of its own:
// a module with Apple's name changes what `#if canImport` answers in a whole build, so each product is opted into alone.

import PackageDescription

let settings: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Test code as apps write it: without the stricter rules above.
let appSettings: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let warnings: [CSetting] = [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra")]

let package = Package(
  name: "latchkey-shims",
  products: [
    .library(name: "LatchkeyShimOS", targets: ["os"]),
    .library(name: "LatchkeyShimOSLog", targets: ["OSLog"]),
    .library(name: "LatchkeyShimCombine", targets: ["Combine"]),
    .library(name: "LatchkeyShimCommonCrypto", targets: ["CommonCrypto"]),
    .library(name: "LatchkeyShimCompression", targets: ["Compression"]),
    .library(name: "LatchkeyShimUIKit", targets: ["UIKit"]),
    .library(name: "LatchkeyShimUIKitTesting", targets: ["_Testing_UIKit"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
    .package(url: "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0"),
  ],
  targets: [
    // The names of the submodules: `import os.log`.
    .target(name: "CLatchkeyOSSubmodules", cSettings: warnings),
    .target(
      name: "os",
      dependencies: ["CLatchkeyOSSubmodules", .product(name: "Logging", package: "swift-log")],
      swiftSettings: settings),
    .target(name: "OSLog", dependencies: ["os"], swiftSettings: settings),
    .target(
      name: "Combine",
      dependencies: [
        .product(name: "OpenCombine", package: "OpenCombine"),
        .product(name: "OpenCombineDispatch", package: "OpenCombine"),
        .product(name: "OpenCombineFoundation", package: "OpenCombine"),
      ], swiftSettings: settings),
    .target(name: "UIKit", swiftSettings: settings),
    // For tests alone: it brings Swift Testing along.
    .target(name: "_Testing_UIKit", swiftSettings: settings),
    .target(name: "CommonCrypto", cSettings: warnings, linkerSettings: [.linkedLibrary("crypto")]),
    .target(name: "Compression", cSettings: warnings, linkerSettings: [.linkedLibrary("z")]),
    .testTarget(
      name: "OSTests",
      dependencies: ["os", "OSLog", .product(name: "Logging", package: "swift-log")], swiftSettings: settings),
    .testTarget(name: "CombineTests", dependencies: ["Combine"], swiftSettings: appSettings),
    .testTarget(name: "CommonCryptoTests", dependencies: ["CommonCrypto"], swiftSettings: appSettings),
    .testTarget(name: "CompressionTests", dependencies: ["Compression"], swiftSettings: appSettings),
    .testTarget(name: "UIKitTests", dependencies: ["UIKit", "_Testing_UIKit"], swiftSettings: appSettings),
    // Files as they stand in an app: what they import, and nothing of this package's own.
    .testTarget(
      name: "AppTests",
      dependencies: ["os", "OSLog", "Combine", "CommonCrypto", "Compression", "UIKit", "_Testing_UIKit"],
      swiftSettings: appSettings + [.swiftLanguageMode(.v5)]),
  ],
  swiftLanguageModes: [.v6]
)
