// swift-tools-version: 6.3
// The program that ports sources of Apple's systems, and the command `swift package port`. A package of its own: it needs swift-syntax,
// which takes minutes to build, and nobody who only uses Latchkey should resolve it.

import PackageDescription

let settings: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "latchkey-porting",
  products: [
    .library(name: "LatchkeyPorting", targets: ["LatchkeyPorting"]),
    .executable(name: "latchkey-port", targets: ["latchkey-port"]),
    .plugin(name: "Port", targets: ["Port"]),
  ],
  dependencies: [
    .package(url: "https://github.com/swiftlang/swift-syntax.git", from: "603.0.1"),
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
  ],
  targets: [
    // Sans-I/O: source text in, edits and remarks out.
    .target(
      name: "LatchkeyPorting",
      dependencies: [
        .product(name: "SwiftSyntax", package: "swift-syntax"), .product(name: "SwiftParser", package: "swift-syntax"),
      ], swiftSettings: settings),
    .executableTarget(
      name: "latchkey-port",
      dependencies: ["LatchkeyPorting", .product(name: "ArgumentParser", package: "swift-argument-parser")],
      swiftSettings: settings),
    // No permission to write is declared, since the command writes on request alone: a declared one is asked for at each run.
    .plugin(
      name: "Port",
      capability: .command(
        intent: .custom(verb: "port", description: "Show what Linux needs of sources for Apple's systems, or write it"),
        permissions: []),
      dependencies: ["latchkey-port"]),
    .testTarget(
      name: "LatchkeyPortingTests", dependencies: ["LatchkeyPorting"], swiftSettings: settings),
    .testTarget(
      name: "LatchkeyPortTests",
      dependencies: [
        "latchkey-port", "LatchkeyPorting", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
