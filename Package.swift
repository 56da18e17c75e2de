// swift-tools-version: 6.2
// Latchkey: Apple's device-security stack on Linux. The targets, and who may import whom: ARCHITECTURE.md.

import PackageDescription

/// Every target of the house is compiled alike: warnings are errors, imports are internal unless said otherwise.
let settings: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// A library target, its product under the same name.
func room(_ name: String, imports dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// A test target.
func tests(
  _ name: String, imports dependencies: [Target.Dependency], resources: [Resource]? = nil
) -> Target {
  .testTarget(name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

/// A test target whose code is written as apps are: without this house's stricter rules of the language.
func appTests(_ name: String, imports dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: [.treatAllWarnings(as: .error)])
}

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")

// Apple's systems have these modules already: there, clients get the system's frameworks.
#if os(Linux)
  let rooms: [Target] = [
    room("ByteCoding"),
    room("BluetoothHost", imports: ["ByteCoding"]),
    room("BluetoothEmulator", imports: ["ByteCoding", "BluetoothHost"]),
    room(
      "BluetoothTransports",
      imports: ["ByteCoding", "BluetoothHost", "BluetoothEmulator", logging, nioCore, nioPosix]),
    room("CoreBluetooth", imports: ["BluetoothHost", "BluetoothTransports", "ByteCoding", logging]),
    room("Provisioning", imports: ["ProvisioningProtocol", "CoreBluetooth"]),
    room("ProvisioningProtocol", imports: ["ByteCoding", crypto, cryptoExtras]),
    .executableTarget(
      name: "latchkey",
      dependencies: [
        "ByteCoding", "BluetoothTransports", "CoreBluetooth", "Provisioning", "ProvisioningProtocol", argumentParser,
        logging,
      ],
      swiftSettings: settings),
  ]
  let testRooms: [Target] = [
    tests("BluetoothEmulatorTests", imports: ["ByteCoding", "BluetoothHost", "BluetoothEmulator"]),
    tests("BluetoothHostTests", imports: ["ByteCoding", "BluetoothHost", "BluetoothEmulator"]),
    tests(
      "BluetoothTransportsTests",
      imports: ["ByteCoding", "BluetoothHost", "BluetoothEmulator", "BluetoothTransports", nioCore, nioPosix]),
    tests("ByteCodingTests", imports: ["ByteCoding"]),
    appTests("CoreBluetoothShapeTests", imports: ["CoreBluetooth"]),
    tests(
      "CoreBluetoothTests",
      imports: ["BluetoothEmulator", "BluetoothHost", "BluetoothTransports", "ByteCoding", "CoreBluetooth"]),
    appTests("Document001Tests", imports: ["CoreBluetooth"]),
    tests(
      "ProvisioningTests",
      imports: [
        "ByteCoding", "BluetoothEmulator", "BluetoothHost", "BluetoothTransports", "CoreBluetooth", "Provisioning",
        "ProvisioningProtocol",
      ], resources: [.copy("Fixtures")]),
    tests(
      "ProvisioningProtocolTests", imports: ["ProvisioningProtocol", "ByteCoding"], resources: [.copy("Fixtures")]),
    tests(
      "latchkeyTests", imports: ["latchkey", "CoreBluetooth"], resources: [.copy("Golden"), .copy("Transcripts")]),
  ]
  // Managers with `queue: nil` under everything that runs a main queue: one exchange, two programs, three test targets.
  let mainQueueRooms: [Target] = [
    .target(
      name: "MainQueueExchange", dependencies: ["CoreBluetooth"], path: "Tests/MainQueue/Exchange",
      swiftSettings: settings),
    .executableTarget(
      name: "main-queue-run-loop", dependencies: ["MainQueueExchange"], path: "Tests/MainQueue/RunLoopProgram",
      swiftSettings: settings),
    .executableTarget(
      name: "main-queue-dispatch-main", dependencies: ["MainQueueExchange"],
      path: "Tests/MainQueue/DispatchMainProgram", swiftSettings: settings),
    .testTarget(
      name: "MainQueueXCTests", dependencies: ["MainQueueExchange"], path: "Tests/MainQueue/XCTestTests",
      swiftSettings: settings),
    .testTarget(
      name: "MainQueueSwiftTestingTests", dependencies: ["MainQueueExchange"],
      path: "Tests/MainQueue/SwiftTestingTests", swiftSettings: settings),
    .testTarget(
      name: "MainQueueProgramTests", dependencies: ["main-queue-run-loop", "main-queue-dispatch-main"],
      path: "Tests/MainQueue/ProgramTests", swiftSettings: settings),
  ]
#else
  let rooms: [Target] = []
  let testRooms: [Target] = []
  let mainQueueRooms: [Target] = []
#endif

let package = Package(
  name: "latchkey",
  products: rooms.map {
    $0.type == .executable
      ? .executable(name: $0.name, targets: [$0.name]) : .library(name: $0.name, targets: [$0.name])
  },
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
  ],
  targets: rooms + testRooms + mainQueueRooms,
  swiftLanguageModes: [.v6]
)
