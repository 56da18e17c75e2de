// swift-tools-version: 6.2
// What the benchmarks of Benchmarks/run are made of: a package of its own, so that users of Latchkey never build it.

import PackageDescription

let settings: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// A benchmark, with what it takes from Latchkey and from this package.
func benchmark(_ name: String, path: String, latchkey products: [String], and others: [String] = []) -> Target {
  .executableTarget(
    name: name,
    dependencies: products.map { .product(name: $0, package: "latchkey") } + others.map { .byName(name: $0) },
    path: path, swiftSettings: settings)
}

let package = Package(
  name: "latchkey-benchmarks",
  dependencies: [
    .package(name: "latchkey", path: "..")
  ],
  targets: [
    benchmark("ecdh-bench", path: "Sources/ECDHBench", latchkey: ["ProvisioningProtocol"], and: ["CBenchCrypto"]),
    benchmark("att-callgrind", path: "Sources/ATTCallgrind", latchkey: ["BluetoothHost", "BluetoothEmulator"]),
    benchmark("gatt-bench", path: "Sources/GATTBench", latchkey: ["BluetoothTransports", "CoreBluetooth"]),
    .target(name: "CBenchCrypto", linkerSettings: [.linkedLibrary("crypto")]),
  ],
  swiftLanguageModes: [.v6]
)
