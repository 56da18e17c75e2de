// swift-tools-version: 6.3
// The benchmarks of Benchmarks/run, in a package of their own, so that users of Latchkey never build them.

import PackageDescription

let settings: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// A benchmark, with its dependencies in Latchkey and in this package.
func benchmark(
  _ name: String, path: String, latchkey products: [String], and others: [Target.Dependency] = []
) -> Target {
  .executableTarget(
    name: name, dependencies: products.map { .product(name: $0, package: "latchkey") } + others,
    path: path, swiftSettings: settings)
}

/// A benchmark of what Latchkey's packages alone see: it is compiled as a part of Latchkey, which the package manager names by its folder.
func innerBenchmark(
  _ name: String, path: String, latchkey products: [String], and others: [Target.Dependency] = []
) -> Target {
  let folder = Context.packageDirectory.split(separator: "/").dropLast().last ?? "latchkey"
  return .executableTarget(
    name: name, dependencies: products.map { .product(name: $0, package: "latchkey") } + others,
    path: path,
    // Otherwise the package manager names this package after the flag, and the last name counts.
    packageAccess: false, swiftSettings: settings + [.unsafeFlags(["-package-name", folder.lowercased()])])
}

// The TPM benchmark needs tpm2-tss (libtss2-dev); Benchmarks/run builds it only for the figure `tpm`.
let withTPM = Context.environment["LATCHKEY_BENCH_TPM"] != nil

let package = Package(
  name: "latchkey-benchmarks",
  dependencies: [
    .package(
      name: "latchkey", path: "..", traits: withTPM ? [.defaults, "TPM", "PostgreSQL"] : [.defaults, "PostgreSQL"]),
    .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
    .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
  ],
  targets: [
    // A benchmark that links X509 links Security, too: where both are built, X509 has conversions between their certificates.
    benchmark(
      "attestation-bench", path: "Sources/AttestationBench", latchkey: ["LatchkeyAttestation", "LatchkeySecurity"],
      and: [.product(name: "Crypto", package: "swift-crypto")]),
    benchmark("ecdh-bench", path: "Sources/ECDHBench", latchkey: ["LatchkeyProvisioning"], and: ["CBenchCrypto"]),
    innerBenchmark(
      "secure-handshake-bench", path: "Sources/SecureHandshakeBench", latchkey: ["LatchkeyProvisioning"],
      and: ["CBenchCrypto"]),
    innerBenchmark(
      "opening-bench", path: "Sources/OpeningBench",
      latchkey: ["LatchkeyBluetooth", "LatchkeyBluetoothTesting", "LatchkeyProvisioning"]),
    innerBenchmark(
      "guesser-bench", path: "Sources/GuesserBench", latchkey: ["LatchkeyBluetooth", "LatchkeyProvisioning"],
      and: ["CBenchCrypto"]),
    innerBenchmark("srp-bench", path: "Sources/SRPBench", latchkey: ["LatchkeyProvisioning"], and: ["CBenchCrypto"]),
    benchmark("att-callgrind", path: "Sources/ATTCallgrind", latchkey: ["LatchkeyBluetooth"]),
    benchmark("fan-out-bench", path: "Sources/FanOutBench", latchkey: ["LatchkeyBluetooth"]),
    benchmark(
      "test-kit-bench", path: "Sources/TestKitBench", latchkey: ["LatchkeyBluetooth", "LatchkeyBluetoothTesting"]),
    benchmark("gatt-bench", path: "Sources/GATTBench", latchkey: ["LatchkeyBluetooth"]),
    benchmark(
      "keychain-bench", path: "Sources/KeychainBench", latchkey: ["LatchkeySecurity"],
      and: ["CPlainSQLite", .product(name: "GRDB", package: "GRDB.swift")]),
    benchmark(
      "enclave-bench", path: "Sources/EnclaveBench",
      latchkey: ["LatchkeySecurity"], and: ["CBenchPKCS11"]),
    innerBenchmark(
      "enrollment-bench", path: "Sources/EnrollmentBench",
      latchkey: ["LatchkeyEnrollmentServer", "LatchkeyEnrollmentPostgres", "LatchkeySecurity"],
      and: [
        "CPlainSQLite", .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ]),
    .target(name: "CBenchCrypto", linkerSettings: [.linkedLibrary("crypto")]),
    .target(name: "CBenchPKCS11", linkerSettings: [.linkedLibrary("dl")]),
    .target(name: "CPlainSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
  ]
    + (withTPM
      ? [
        benchmark(
          "enclave-tpm-bench", path: "Sources/EnclaveTPMBench",
          latchkey: ["LatchkeySecurity"])
      ] : []),
  swiftLanguageModes: [.v6]
)
