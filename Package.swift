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

var products: [Product] = []
var targets: [Target] = []

/// Declares a target of the house and its tests; a product stands under the target's own name.
func room(
  _ name: String, imports dependencies: [Target.Dependency] = [], testImports: [Target.Dependency]? = [],
  testResources: [Resource]? = nil
) {
  products.append(.library(name: name, targets: [name]))
  targets.append(.target(name: name, dependencies: dependencies, swiftSettings: settings))
  guard let testImports else { return }
  targets.append(
    .testTarget(
      name: "\(name)Tests", dependencies: [.byName(name: name)] + dependencies + testImports,
      resources: testResources, swiftSettings: settings))
}

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")

// Apple's systems have these modules already: there, clients get the system's frameworks.
#if os(Linux)
  room("ByteCoding")
  room("BluetoothHost", imports: ["ByteCoding"], testImports: ["BluetoothEmulator"])
  room("BluetoothEmulator", imports: ["ByteCoding", "BluetoothHost"])
  room("BluetoothTransports", imports: ["ByteCoding", "BluetoothHost", "BluetoothEmulator", logging, nioCore, nioPosix])
  room("CoreBluetooth", imports: ["ByteCoding", "BluetoothHost", "BluetoothEmulator", "BluetoothTransports", logging])
  room(
    "ProvisioningProtocol", imports: ["ByteCoding", crypto, cryptoExtras],
    testResources: [.copy("Fixtures")])
  room("Provisioning", imports: ["ProvisioningProtocol", "CoreBluetooth"])
#endif

let package = Package(
  name: "latchkey",
  products: products,
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
  ],
  targets: targets,
  swiftLanguageModes: [.v6]
)
