// swift-tools-version: 6.3
// Latchkey: Apple's device-security stack on Linux. The targets, and who may import whom: ARCHITECTURE.md.

import PackageDescription

/// Every target is compiled alike: warnings are errors, imports are internal unless said otherwise.
let settings: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// A library target.
func library(_ name: String, imports dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// A test target.
func tests(
  _ name: String, imports dependencies: [Target.Dependency], resources: [Resource]? = nil
) -> Target {
  .testTarget(name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

/// Where the examples are: in `Examples`, unless `Scripts/check-sample-breaks` tests a copy of one.
let examples = Context.environment["LATCHKEY_EXAMPLES"] ?? "Examples"

/// A part of a program of `Examples/`, which is a package of its own there, and tested here: the same sources, compiled as apps are.
func example(_ place: String, _ name: String, imports dependencies: [Target.Dependency]) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "\(examples)/\(place)/Sources/\(name)",
    swiftSettings: [.treatAllWarnings(as: .error)])
}

/// An executable of `Examples/`, likewise.
func exampleProgram(_ place: String, _ name: String, imports dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: "\(examples)/\(place)/Sources/\(name)",
    swiftSettings: [.treatAllWarnings(as: .error)])
}

/// A test target whose code is written as apps are: without the stricter rules above.
func appTests(
  _ name: String, imports dependencies: [Target.Dependency], mode: SwiftLanguageMode = .v6, resources: [Resource]? = nil
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, resources: resources,
    swiftSettings: [.treatAllWarnings(as: .error), .swiftLanguageMode(mode)])
}

/// A product of another package. One that only a wing needs belongs to that wing's trait: without the trait it is not resolved.
func product(_ name: String, _ package: String, trait: String? = nil) -> Target.Dependency {
  .product(name: name, package: package, condition: trait.flatMap { .when(traits: [$0]) })
}

// The Bluetooth wing and whatever stands on it alone.
let crypto = product("Crypto", "swift-crypto")
let cryptoExtras = product("CryptoExtras", "swift-crypto")
let logging = product("Logging", "swift-log")
let nioCore = product("NIOCore", "swift-nio")
let nioPosix = product("NIOPosix", "swift-nio")

// The keychain.
let swiftASN1 = product("SwiftASN1", "swift-asn1", trait: "Keychain")
let x509 = product("X509", "swift-certificates", trait: "Service")

// Enrollment, client and server.
let asyncHTTPClient = product("AsyncHTTPClient", "async-http-client", trait: "Service")
let httpTypes = product("HTTPTypes", "swift-http-types", trait: "Service")
let hummingbird = product("Hummingbird", "hummingbird", trait: "Service")
let hummingbirdCore = product("HummingbirdCore", "hummingbird", trait: "Service")
let hummingbirdHTTP2 = product("HummingbirdHTTP2", "hummingbird", trait: "Service")
let metrics = product("Metrics", "swift-metrics", trait: "Service")
let nioHTTP1 = product("NIOHTTP1", "swift-nio", trait: "Service")
let nioHPACK = product("NIOHPACK", "swift-nio-http2", trait: "Service")
let nioHTTP2 = product("NIOHTTP2", "swift-nio-http2", trait: "Service")
let nioHTTPTypes = product("NIOHTTPTypes", "swift-nio-extras", trait: "Service")
let nioHTTPTypesHTTP1 = product("NIOHTTPTypesHTTP1", "swift-nio-extras", trait: "Service")
let nioHTTPTypesHTTP2 = product("NIOHTTPTypesHTTP2", "swift-nio-extras", trait: "Service")
let nioSSL = product("NIOSSL", "swift-nio-ssl", trait: "Service")
let nioTLS = product("NIOTLS", "swift-nio", trait: "Service")
let serviceLifecycle = product("ServiceLifecycle", "swift-service-lifecycle", trait: "Service")
let structuredFields = product("RawStructuredFieldValues", "swift-http-structured-headers", trait: "Service")

// The two programs.
let argumentParser = product("ArgumentParser", "swift-argument-parser", trait: "Tools")
let swiftConfiguration = product("Configuration", "swift-configuration", trait: "Tools")

let libraries: [Target] = [
  library("LatchkeyAssignedNumbers"),
  library("LatchkeyByteCoding"),
  library("LatchkeySecretData", imports: ["LatchkeyByteCoding", crypto]),
  library("LatchkeyAgeEncryption", imports: ["LatchkeyByteCoding", "LatchkeySecretData", crypto, cryptoExtras]),
  library(
    "LatchkeyAttestation",
    imports: ["LatchkeyEnclaveKeys", "LatchkeyByteCoding", swiftASN1, x509, crypto, cryptoExtras]),
  library("LatchkeyBluetoothHost", imports: ["LatchkeyByteCoding", crypto, cryptoExtras]),
  // A product for tests: devices and radios for them. Programs that serve a definition import it, too.
  library(
    "LatchkeyBluetoothTesting",
    imports: [
      "CoreBluetooth", "LatchkeyBluetoothHost", "LatchkeyBluetoothEmulator", "LatchkeyBluetoothTransports",
      "LatchkeyByteCoding", logging,
    ]),
  library("LatchkeyBluetoothEmulator", imports: ["LatchkeyByteCoding", "LatchkeyBluetoothHost"]),
  library(
    "LatchkeyBluetoothTransports",
    imports: ["LatchkeyByteCoding", "LatchkeyBluetoothHost", "LatchkeyBluetoothEmulator", logging, nioCore, nioPosix]),
  library(
    "LatchkeyCertificateAuthority", imports: ["LatchkeyEnclaveKeys", "LatchkeyByteCoding", swiftASN1, x509, crypto]),
  library(
    "LatchkeyCertificateTrust",
    imports: ["LatchkeyKeychainModel", "LatchkeyEnclaveKeys", swiftASN1, x509]),
  // What the two programs share.
  library(
    "LatchkeyCommandLine",
    imports: [
      "LatchkeyKeychainModel", "LatchkeyKeychainStore", "LatchkeyByteCoding", "LatchkeySystem", argumentParser,
    ]),
  library(
    "CoreBluetooth",
    imports: [
      "LatchkeyBluetoothHost", "LatchkeyBluetoothTransports", "LatchkeyByteCoding", "LatchkeyProcessEnvironment",
      logging,
    ]),
  library("CryptoKit", imports: ["LatchkeyCryptoEnclave", crypto]),
  library(
    "LatchkeyCryptoEnclave",
    imports: [
      "Security", "LocalAuthentication", "LatchkeyKeychainModel", "LatchkeyByteCoding", "LatchkeySecretData", crypto,
    ]),
  library(
    "LatchkeyEnclaveKeys",
    imports: ["LatchkeyKeychainModel", "LatchkeyByteCoding", "LatchkeySecretData", crypto, cryptoExtras]),
  // tpm2-tss is imported only in `#if TPM`: without the trait the target is empty.
  library(
    "LatchkeyEnclaveTPM",
    imports: [
      "LatchkeyEnclaveKeys", "LatchkeyKeychainModel", "LatchkeyByteCoding", "LatchkeyProcessEnvironment", crypto,
      .target(name: "CLatchkeyTSS2", condition: .when(traits: ["TPM"])),
    ]),
  library(
    "LatchkeyEnrollment",
    imports: [
      "LatchkeyEnrollmentProtocol", "LatchkeySealedMessages", "Security", "LatchkeyKeychainModel",
      "LocalAuthentication", "LatchkeyCertificateTrust", "LatchkeyByteCoding", "LatchkeyProcessEnvironment",
      "LatchkeySystem", swiftASN1, x509, crypto, asyncHTTPClient, nioCore, nioPosix, nioHTTP1, nioSSL, logging,
    ]),
  // libpq is imported only in `#if PostgreSQL`: without the trait the target is empty.
  library(
    "LatchkeyEnrollmentPostgres",
    imports: [
      "LatchkeyEnrollmentStore", "LatchkeyByteCoding", logging,
      .target(name: "CLatchkeyPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
    ]),
  library("LatchkeyEnrollmentProtocol", imports: ["LatchkeyByteCoding", crypto]),
  library(
    "LatchkeyEnrollmentServer",
    imports: [
      "LatchkeyEnrollmentStore", "LatchkeyEnrollmentProtocol", "LatchkeyCertificateAuthority",
      "LatchkeySealedMessages", "LatchkeyPKCS12", "LatchkeyEnclaveKeys", "LatchkeyAttestation", "LatchkeyByteCoding",
      "LatchkeyProcessEnvironment", "LatchkeySystem", swiftASN1, x509, crypto, cryptoExtras, hummingbird,
      hummingbirdCore, hummingbirdHTTP2, httpTypes, nioCore, nioPosix, nioHTTP1, nioHTTP2, nioHTTPTypes,
      nioHTTPTypesHTTP1, nioHTTPTypesHTTP2, nioSSL, nioTLS, logging, metrics, serviceLifecycle,
    ]),
  library(
    "LatchkeyEnrollmentStore",
    imports: ["LatchkeyEnrollmentProtocol", "LatchkeyByteCoding", "LatchkeySystem", "LatchkeySQLite", crypto]),
  // A sample of a service on the enrollment server: a bank.
  library(
    "LatchkeyLedger",
    imports: [
      "LatchkeyEnrollmentServer", "LatchkeyEnrollmentStore", "LatchkeyEnrollmentProtocol", "LatchkeySealedMessages",
      "LatchkeyByteCoding", crypto, hummingbird, httpTypes,
    ]),
  library(
    "LatchkeyKeychainArchive",
    imports: [
      "LatchkeyAgeEncryption", "LatchkeyByteCoding", "LatchkeySecretData", "LatchkeyKeychainModel",
      "LatchkeyKeychainStore",
    ]),
  library(
    "LatchkeyKeychainItems",
    imports: ["Security", "LatchkeyPropertyLists", "LatchkeyByteCoding", "LatchkeySystem", crypto, cryptoExtras]),
  // The one module above both the Bluetooth and the keychain wing.
  library(
    "LatchkeyKeychainBonds",
    imports: [
      "CoreBluetooth", "LatchkeyBluetoothHost", "LatchkeyBluetoothTransports", "LatchkeyByteCoding", "Security",
      logging,
    ]),
  library("LatchkeyKeychainModel", imports: ["LatchkeyByteCoding"]),
  library(
    "LatchkeyKeychainStore",
    imports: [
      "LatchkeyKeychainModel", "LatchkeyEnclaveKeys", "LatchkeyPropertyLists", "LatchkeyByteCoding",
      "LatchkeyProcessEnvironment", "LatchkeySystem", "LatchkeyUserPresence", "LatchkeyAgeEncryption",
      "LatchkeySecretData", "LatchkeySQLite", crypto, cryptoExtras, logging,
      .target(name: "LatchkeyEnclaveTPM", condition: .when(traits: ["TPM"])),
    ]),
  // SQLite, and group commit, for both stores.
  library(
    "LatchkeySQLite", imports: [.target(name: "CLatchkeySQLite", condition: .when(traits: ["Keychain"]))]),
  library("LatchkeySystem", imports: ["LatchkeyByteCoding"]),
  library(
    "LatchkeyUserPresence",
    imports: [
      "LatchkeyKeychainModel", "LatchkeyEnclaveKeys", "LatchkeyByteCoding", "LatchkeyDBus",
      "LatchkeyProcessEnvironment", "LatchkeySecretData", "LatchkeySystem", crypto,
    ]),
  library("LatchkeyKeychainTesting", imports: ["LatchkeyKeychainModel", "LatchkeyKeychainStore"]),
  // The one module that imports Swift Testing: programs that import LatchkeyKeychainTesting need no test library.
  library("LatchkeySwiftTesting", imports: ["LatchkeyKeychainTesting"]),
  library(
    "LocalAuthentication", imports: ["Security", "LatchkeyKeychainModel", "LatchkeyByteCoding", "LatchkeySystem"]),
  library("LatchkeyGuide"),
  library("LatchkeyPKCS12", imports: ["LatchkeyByteCoding", "LatchkeySecretData", crypto, cryptoExtras]),
  library("LatchkeyProcessEnvironment"),
  library("LatchkeyPropertyLists", imports: ["LatchkeyByteCoding"]),
  library(
    "LatchkeyProvisioning",
    imports: ["LatchkeyProvisioningProtocol", "CoreBluetooth", "LatchkeyBluetoothTransports", "LatchkeyByteCoding"]),
  // D-Bus by libsystemd, which is loaded when it is needed.
  library("LatchkeyDBus", imports: ["LatchkeyByteCoding", "LatchkeySystem"]),
  library(
    "LatchkeyNetworkJoining",
    imports: ["LatchkeyProvisioningProtocol", "LatchkeyDBus", "LatchkeyByteCoding", "LatchkeySystem"]),
  library("LatchkeyProvisioningProtocol", imports: ["LatchkeyByteCoding", crypto, cryptoExtras]),
  library("LatchkeySealedMessages", imports: ["LatchkeyByteCoding", structuredFields, crypto, cryptoExtras]),
  library(
    "Security",
    imports: [
      "LatchkeyKeychainModel", "LatchkeyEnclaveKeys", "LatchkeyPKCS12", "LatchkeyByteCoding", swiftASN1, crypto,
    ]),
  library(
    "LatchkeyURLSession",
    imports: ["LatchkeyEnrollment", "LatchkeySystem", "Security", nioCore, nioPosix, nioHTTP1, nioSSL, nioTLS]),
  .systemLibrary(name: "CLatchkeyPostgreSQL"),
  .systemLibrary(name: "CLatchkeySQLite"),
  .systemLibrary(name: "CLatchkeyTSS2"),
  .executableTarget(
    name: "latchkey",
    dependencies: [
      "LatchkeyCommandLine", "LatchkeyAgeEncryption", "LatchkeyAssignedNumbers", "LatchkeyByteCoding",
      "LatchkeyBluetoothEmulator", "LatchkeyBluetoothTesting", "LatchkeyBluetoothTransports", "CoreBluetooth",
      "LatchkeyEnclaveKeys", "LatchkeyEnrollment",
      "LatchkeyEnrollmentProtocol",
      "LatchkeyKeychainArchive", "LatchkeyKeychainModel", "LatchkeyKeychainStore", "LatchkeyPKCS12",
      "LatchkeyNetworkJoining", "LatchkeyProcessEnvironment", "LatchkeyProvisioning", "LatchkeyProvisioningProtocol",
      "LatchkeySealedMessages",
      "LatchkeySystem", "Security", argumentParser, crypto, logging,
    ],
    swiftSettings: settings),
  // The server is a program of its own, so that the other stays small and builds fast; `latchkey serve` executes it.
  .executableTarget(
    name: "latchkey-server",
    dependencies: [
      "LatchkeyCommandLine", "LatchkeyAttestation", "LatchkeyCertificateAuthority", "LatchkeyEnrollmentServer",
      "LatchkeyEnrollmentStore", "LatchkeyEnrollmentPostgres", "LatchkeyEnrollmentProtocol", "LatchkeyLedger",
      "LatchkeyAgeEncryption", "LatchkeyByteCoding", "LatchkeyProcessEnvironment", "LatchkeySystem", "Security",
      argumentParser, swiftConfiguration, logging, serviceLifecycle,
    ],
    swiftSettings: settings),
]
let testTargets: [Target] = [
  tests("LatchkeyAssignedNumbersTests", imports: ["LatchkeyAssignedNumbers"]),
  tests("LatchkeyAgeEncryptionTests", imports: ["LatchkeyAgeEncryption", "LatchkeyTestSupport", crypto]),
  tests(
    "LatchkeyAttestationTests",
    imports: [
      "LatchkeyTestSupport", "LatchkeyAttestation", "LatchkeyEnclaveKeys", "LatchkeyKeychainModel",
      "LatchkeyByteCoding", swiftASN1, x509,
      crypto, cryptoExtras,
    ],
    resources: [.copy("Fixtures")]),
  tests(
    "LatchkeyBluetoothEmulatorTests",
    imports: ["LatchkeyByteCoding", "LatchkeyBluetoothHost", "LatchkeyBluetoothEmulator"]),
  tests(
    "LatchkeyBluetoothHostTests", imports: ["LatchkeyByteCoding", "LatchkeyBluetoothHost", "LatchkeyBluetoothEmulator"]),
  appTests(
    "LatchkeyBluetoothTestingTests",
    imports: ["LatchkeyBluetoothTesting", "CoreBluetooth"], resources: [.copy("Captures")]),
  tests(
    "LatchkeyBluetoothTransportsTests",
    imports: [
      "LatchkeyByteCoding", "LatchkeyBluetoothHost", "LatchkeyBluetoothEmulator", "LatchkeyBluetoothTransports",
      nioCore, nioPosix,
    ]),
  tests("LatchkeyByteCodingTests", imports: ["LatchkeyByteCoding", "LatchkeySecretData"]),
  tests("LatchkeySystemTests", imports: ["LatchkeySystem", "LatchkeyByteCoding", "LatchkeyTestSupport"]),
  appTests("CoreBluetoothShapeTests", imports: ["CoreBluetooth"]),
  tests(
    "LatchkeyCertificateAuthorityTests",
    imports: [
      "LatchkeyTestSupport", "LatchkeyCertificateAuthority", "LatchkeyEnclaveKeys", "LatchkeyByteCoding", swiftASN1,
      x509, crypto,
    ]),
  tests(
    "LatchkeyCertificateTrustTests",
    imports: [
      "LatchkeyCertificateTrust", "Security", "LatchkeyKeychainModel", "LatchkeyKeychainTesting", swiftASN1, x509,
      crypto,
    ],
    resources: [.copy("Fixtures")]),
  tests(
    "CoreBluetoothTests",
    imports: [
      "LatchkeyBluetoothEmulator", "LatchkeyBluetoothHost", "LatchkeyBluetoothTransports", "LatchkeyByteCoding",
      "CoreBluetooth",
    ]),
  tests(
    "LatchkeyCryptoEnclaveTests",
    imports: [
      "LatchkeyCryptoEnclave", "Security", "LocalAuthentication", "LatchkeyKeychainTesting", "LatchkeySwiftTesting",
      crypto,
    ]),
  appTests("CryptoKitTests", imports: ["CryptoKit", "Security", "LatchkeySwiftTesting"]),
  appTests(
    "ProvisioningExampleTests",
    imports: [
      "EncryptedProvisioning", "CoreBluetooth", "LatchkeyBluetoothTransports", "LatchkeyBluetoothEmulator",
      "LatchkeyProvisioning", "LatchkeyProvisioningProtocol",
    ]),
  appTests(
    "CoreBluetoothExampleTests",
    imports: [
      "MyBlueDevice", "MyBlueApp", "CoreBluetooth", "LatchkeyBluetoothTransports", "LatchkeyBluetoothEmulator",
      "LatchkeyBluetoothTesting",
    ]),
  appTests("StrapExampleTests", imports: ["StrapApp", "LatchkeyBluetoothTesting", "CoreBluetooth"]),
  appTests(
    "SealedTransferExampleTests",
    imports: [
      "LatchkeyLedger",
      "LatchkeyTestSupport", "LatchkeyServerTestSupport", "sealed-transfer", "LatchkeyEnrollment",
      "LatchkeyEnrollmentProtocol", "LatchkeyEnrollmentServer",
      "LatchkeyEnrollmentStore", "LatchkeyCertificateAuthority", "LatchkeySealedMessages", "Security",
      "LatchkeyKeychainTesting",
    ]),
  appTests(
    "KeychainManagerExampleTests",
    imports: ["LLKeyChain", "Security", "LatchkeyKeychainItems", "LatchkeySwiftTesting"]),
  appTests(
    "TouchIDExampleTests",
    imports: [
      "LatchkeyTestSupport", "KeychainTouchID", "Security", "LocalAuthentication", "LatchkeyKeychainStore",
      "LatchkeyKeychainTesting",
    ]),
  tests(
    "LatchkeyEnclaveKeysTests",
    imports: [
      "LatchkeyTestSupport", "LatchkeyEnclaveKeys", "LatchkeyKeychainModel", "LatchkeyByteCoding", crypto, cryptoExtras,
    ],
    resources: [.copy("Vectors")]),
  tests(
    "LatchkeyEnclaveTPMTests",
    imports: [
      "LatchkeyTestSupport", "LatchkeyUserPresence", "LatchkeyEnclaveTPM", "LatchkeyEnclaveKeys",
      "LatchkeyKeychainModel",
      "LatchkeyKeychainStore",
      "LatchkeyKeychainTesting", "LatchkeyByteCoding", "Security", "LocalAuthentication", "LatchkeyAttestation",
      crypto, .target(name: "CLatchkeyTSS2", condition: .when(traits: ["TPM"])),
    ]),
  tests(
    "LatchkeyEnrollmentPostgresTests",
    imports: [
      "LatchkeyLedger", "LatchkeyEnrollmentServer", "LatchkeyTestSupport",
      "LatchkeyPostgresTestSupport", "LatchkeyEnrollmentPostgres", "LatchkeyEnrollmentStore",
      "LatchkeyEnrollmentProtocol", "StoreContract",
      "LatchkeyByteCoding", logging, .target(name: "CLatchkeyPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
    ]),
  tests(
    "LatchkeyEnrollmentProtocolTests",
    imports: ["LatchkeyEnrollmentProtocol", "LatchkeySealedMessages", "LatchkeyByteCoding", crypto]),
  tests(
    "LatchkeyEnrollmentServerTests",
    imports: [
      "LatchkeyLedger", "MeterReadings",
      "LatchkeyTestSupport", "LatchkeyServerTestSupport", "LatchkeyEnrollmentServer", "latchkey-server",
      "LatchkeyPostgresTestSupport", "LatchkeyEnrollmentPostgres",
      "LatchkeyEnrollmentStore", "LatchkeyEnrollmentProtocol",
      "LatchkeyCertificateAuthority", "LatchkeySealedMessages", "LatchkeyPKCS12", "LatchkeyEnclaveKeys",
      "LatchkeyAttestation", "Security", "LatchkeyKeychainTesting", "LatchkeyByteCoding", "LatchkeySQLite", swiftASN1,
      x509,
      crypto, cryptoExtras, hummingbird, httpTypes, asyncHTTPClient, nioCore, nioPosix, nioHPACK, nioHTTP1, nioHTTP2,
      nioSSL,
      logging, metrics, serviceLifecycle,
    ]),
  tests(
    "LatchkeyEnrollmentStoreTests",
    imports: [
      "LatchkeyLedger", "LatchkeyEnrollmentServer",
      "LatchkeyTestSupport", "LatchkeyEnrollmentStore", "LatchkeyEnrollmentProtocol", "StoreContract",
      "LatchkeyByteCoding", "LatchkeySQLite", "LatchkeySQLiteTestSupport", crypto,
    ],
    resources: [.copy("Fixtures")]),
  tests(
    "LatchkeyEnrollmentTests",
    imports: [
      "LatchkeyLedger",
      "LatchkeyTestSupport", "LatchkeyServerTestSupport", "LatchkeyTLSTestSupport", "LatchkeyEnrollment",
      "LatchkeyEnrollmentServer", "LatchkeyEnrollmentStore", "LatchkeyEnrollmentProtocol",
      "LatchkeyCertificateAuthority", "LatchkeySealedMessages", "LatchkeyPKCS12", "Security", "LocalAuthentication",
      "LatchkeyKeychainModel", "LatchkeyKeychainStore", "LatchkeyKeychainTesting", "LatchkeySwiftTesting",
      "KeychainTouchID",
      "LatchkeyEnclaveKeys", "LatchkeyAttestation", "LatchkeyByteCoding", swiftASN1, x509, crypto, cryptoExtras,
      asyncHTTPClient, nioCore, nioPosix, nioHTTP1, nioSSL, logging, serviceLifecycle,
    ]),
  // The programs of `Examples/`, run by `Examples/run`.
  tests(
    "ExamplesTests",
    imports: [
      "LatchkeyTestSupport", "latchkey", "latchkey-server", "provisioning-app", "provisioning-device", "my-blue-app",
      "my-blue-device",
      "sealed-transfer", "keychain-manager", "touch-id-app", "touch-id-server", "strap", "meter-server",
    ]),
  tests(
    "LatchkeyKeychainArchiveTests",
    imports: [
      "LatchkeyKeychainArchive", "LatchkeyAgeEncryption", "LatchkeyKeychainStore", "LatchkeyKeychainTesting",
      "LatchkeyKeychainModel", crypto,
    ]),
  tests(
    "LocalAuthenticationTests",
    imports: [
      "LocalAuthentication", "Security", "LatchkeyKeychainModel", "LatchkeyKeychainStore", "LatchkeyKeychainTesting",
    ]),
  tests(
    "LatchkeyKeychainItemsTests",
    imports: [
      "LatchkeyKeychainItems", "LatchkeyKeychainTesting", "LatchkeySwiftTesting", "Security", "LatchkeyPropertyLists",
      "LatchkeyByteCoding",
    ]),
  tests(
    "LatchkeyKeychainBondsTests",
    imports: [
      "LatchkeyKeychainBonds", "CoreBluetooth", "LatchkeyBluetoothHost", "LatchkeyBluetoothTransports",
      "LatchkeyBluetoothEmulator", "LatchkeyKeychainModel", "LatchkeyKeychainStore", "LatchkeyKeychainTesting",
      "LatchkeySwiftTesting", "LatchkeyUserPresence", "Security",
    ]),
  // The bundle links without the store, which defines the session of the process.
  tests(
    "LatchkeyKeychainModelTests",
    imports: ["LatchkeyKeychainModel", "LatchkeyByteCoding", "CProcessSessionPlaceholder"]),
  tests(
    "LatchkeyKeychainStoreTests",
    imports: [
      "LatchkeyTestSupport", "LatchkeySystem", "LatchkeyUserPresence", "LatchkeyKeychainStore",
      "LatchkeyKeychainTesting",
      "LatchkeyKeychainModel",
      "LatchkeyEnclaveKeys",
      "LatchkeyByteCoding", "LatchkeyProcessEnvironment", "LatchkeyAgeEncryption", "CRecordingVFS", "keychain-worker",
      "LatchkeySQLite", "LatchkeySQLiteTestSupport",
      .target(name: "CLatchkeySQLite", condition: .when(traits: ["Keychain"])), crypto, cryptoExtras,
    ], resources: [.copy("Fixtures")]),
  tests(
    "LatchkeyPKCS12Tests",
    imports: [
      "LatchkeyTestSupport", "LatchkeyPKCS12", "LatchkeyByteCoding", "LatchkeySecretData", swiftASN1, crypto,
      cryptoExtras,
    ],
    resources: [.copy("Fixtures")]),
  tests("LatchkeySQLiteTests", imports: ["LatchkeyTestSupport", "LatchkeySQLite", "sqlite-worker"]),
  tests("LatchkeyPropertyListsTests", imports: ["LatchkeyPropertyLists", "LatchkeyByteCoding"]),
  tests(
    "LatchkeyProvisioningTests",
    imports: [
      "LatchkeyTestSupport", "LatchkeyByteCoding", "LatchkeyBluetoothEmulator", "LatchkeyBluetoothHost",
      "LatchkeyBluetoothTransports", "CoreBluetooth", "LatchkeyProvisioning", "LatchkeyProvisioningProtocol",
    ], resources: [.copy("Fixtures")]),
  tests(
    "LatchkeyNetworkJoiningTests",
    imports: [
      "LatchkeyTestSupport", "LatchkeyNetworkJoining", "LatchkeyDBus", "LatchkeyProvisioningProtocol",
      "LatchkeyByteCoding", "LatchkeySystem",
    ],
    resources: [.copy("Doubles")]),
  tests(
    "LatchkeyProvisioningProtocolTests",
    imports: [
      "LatchkeyTestSupport", "LatchkeyProvisioningProtocol", "LatchkeyByteCoding", "LatchkeySecretData", crypto,
    ],
    resources: [.copy("Fixtures")]),
  tests(
    "LatchkeySealedMessagesTests",
    imports: ["LatchkeyTestSupport", "LatchkeySealedMessages", "LatchkeyByteCoding", crypto, cryptoExtras],
    resources: [.copy("Vectors")]),
  appTests(
    "SecurityIdiomsSwift5Tests", imports: ["Security", "LatchkeyKeychainTesting", "LatchkeySwiftTesting"], mode: .v5),
  appTests("SecurityIdiomsSwift6Tests", imports: ["Security", "LatchkeySwiftTesting"]),
  tests(
    "SecurityTests",
    imports: [
      "Security", "LocalAuthentication", "LatchkeyKeychainModel", "LatchkeyKeychainStore", "LatchkeyKeychainTesting",
      "LatchkeySwiftTesting",
    ],
    resources: [.copy("Vectors")]),
  tests(
    "LatchkeyURLSessionTests",
    imports: [
      "LatchkeyURLSession", "LatchkeyTLSTestSupport", "LatchkeySwiftTesting", "Security", nioCore, nioPosix, nioSSL,
    ]),
  tests(
    "latchkeyTests",
    imports: [
      "LatchkeyTestSupport", "latchkey", "my-blue-app", "my-blue-device", "provisioning-app", "provisioning-device",
      "sealed-transfer",
      "keychain-worker", "keychain-manager", "touch-id-app", "touch-id-server", "CoreBluetooth",
      "LatchkeyCommandLine", "LatchkeyAgeEncryption", "LatchkeyEnrollment", crypto,
    ],
    resources: [.copy("Golden"), .copy("Transcripts")]),
]
let exampleTargets: [Target] = [
  example("terminal", "ExampleTerminal", imports: []),
  example(
    "000-encrypted-provisioning", "EncryptedProvisioning",
    imports: ["CoreBluetooth", "LatchkeyProvisioningProtocol", crypto, cryptoExtras]),
  exampleProgram(
    "000-encrypted-provisioning", "provisioning-app",
    imports: [
      "EncryptedProvisioning", "CoreBluetooth", "ExampleTerminal", "LatchkeyProvisioning", "LatchkeyKeychainModel",
      "LatchkeyKeychainStore",
    ]),
  exampleProgram(
    "000-encrypted-provisioning", "provisioning-device", imports: ["ExampleTerminal", "LatchkeyProvisioning"]),
  example("001-corebluetooth", "MyBlueDevice", imports: ["CoreBluetooth"]),
  example("001-corebluetooth", "MyBlueApp", imports: ["CoreBluetooth"]),
  exampleProgram("001-corebluetooth", "my-blue-device", imports: ["MyBlueDevice", "ExampleTerminal"]),
  exampleProgram("001-corebluetooth", "my-blue-app", imports: ["MyBlueApp", "CoreBluetooth", "ExampleTerminal"]),
  exampleProgram(
    "002-sealed-transfer", "sealed-transfer",
    imports: [
      "LatchkeyEnrollment", "ExampleTerminal", "Security", "LatchkeyKeychainModel", "LatchkeyKeychainStore",
      asyncHTTPClient, nioSSL, crypto, cryptoExtras,
    ]),
  example("003-keychain-manager", "LLKeyChain", imports: ["Security", crypto, cryptoExtras]),
  exampleProgram(
    "003-keychain-manager", "keychain-manager",
    imports: ["LatchkeyKeychainItems", "LatchkeyKeychainStore", "ExampleTerminal"]),
  example("004-touch-id", "KeychainTouchID", imports: ["Security"]),
  exampleProgram(
    "004-touch-id", "touch-id-app",
    imports: ["KeychainTouchID", "ExampleTerminal", "LocalAuthentication", "Security", "LatchkeyKeychainStore", crypto]),
  exampleProgram("004-touch-id", "touch-id-server", imports: ["ExampleTerminal", crypto]),
  example("005-strap", "StrapApp", imports: ["CoreBluetooth"]),
  exampleProgram("005-strap", "strap", imports: ["StrapApp", "ExampleTerminal"]),
  example(
    "006-meter", "MeterReadings",
    imports: [
      "LatchkeyCertificateAuthority", "LatchkeyEnrollmentServer", "LatchkeyEnrollmentStore",
      "LatchkeyEnrollmentProtocol", crypto, logging,
    ]),
  exampleProgram(
    "006-meter", "meter-server", imports: ["MeterReadings", "ExampleTerminal", "LatchkeyKeychainStore", "Security"]),
  .testTarget(
    name: "MeterReadingsTests",
    dependencies: [
      "MeterReadings", "LatchkeyEnrollment", "LatchkeyEnrollmentProtocol", "LatchkeySwiftTesting", "Security",
    ],
    path: "\(examples)/006-meter/Tests/MeterReadingsTests", swiftSettings: [.treatAllWarnings(as: .error)]),
]
// Managers with `queue: nil` under everything that runs a main queue: one exchange, two programs, three test targets.
let mainQueueTargets: [Target] = [
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
    name: "MainQueueProgramTests",
    dependencies: ["LatchkeyTestSupport", "main-queue-run-loop", "main-queue-dispatch-main"],
    path: "Tests/MainQueue/ProgramTests", swiftSettings: settings),
]
// What the keychain's tests run beside themselves: other processes on one file, and a disk that loses power.
let keychainTestTargets: [Target] = [
  .target(name: "CRecordingVFS", path: "Tests/Keychain/RecordingVFS", linkerSettings: [.linkedLibrary("sqlite3")]),
  .target(name: "CProcessSessionPlaceholder", path: "Tests/Keychain/ProcessSessionPlaceholder"),
  .executableTarget(
    name: "keychain-worker",
    dependencies: [
      "LatchkeyKeychainStore", "LatchkeyKeychainModel", "LatchkeyEnclaveKeys", "LatchkeyByteCoding",
      "LatchkeyProcessEnvironment",
    ],
    path: "Tests/Keychain/Worker", swiftSettings: settings),
]
// What several test targets need, one target for each part of the package that it builds.
let supportTargets: [Target] = [
  // Folders, programs, ports of loopback, vectors: of the package it builds one module.
  .target(
    name: "LatchkeyTestSupport", dependencies: ["LatchkeyByteCoding", "LatchkeySystem"],
    path: "Tests/Support/LatchkeyTestSupport", swiftSettings: settings),
  // SQLite as another program calls it.
  .target(
    name: "LatchkeySQLiteTestSupport",
    dependencies: [.target(name: "CLatchkeySQLite", condition: .when(traits: ["Keychain"]))],
    path: "Tests/Support/LatchkeySQLiteTestSupport", swiftSettings: settings),
  // A running enrollment server.
  .target(
    name: "LatchkeyServerTestSupport",
    dependencies: [
      "LatchkeyCertificateAuthority", "LatchkeyEnrollmentProtocol", "LatchkeyEnrollmentServer",
      "LatchkeyEnrollmentStore", "LatchkeyLedger",
      logging, serviceLifecycle,
    ], path: "Tests/Support/LatchkeyServerTestSupport", swiftSettings: settings),
  // A TLS server of a few lines, and an authority for its certificates and its clients'.
  .target(
    name: "LatchkeyTLSTestSupport",
    dependencies: ["Security", swiftASN1, x509, crypto, nioCore, nioPosix, nioHTTP1, nioSSL],
    path: "Tests/Support/LatchkeyTLSTestSupport", swiftSettings: settings),
  // A PostgreSQL; without the trait the target is empty.
  .target(
    name: "LatchkeyPostgresTestSupport",
    dependencies: ["LatchkeyTestSupport", "LatchkeyEnrollmentPostgres", "LatchkeyEnrollmentStore", logging],
    path: "Tests/Support/LatchkeyPostgresTestSupport", swiftSettings: settings),
]
// Another process on the database of a test.
let sqliteTestTargets: [Target] = [
  .executableTarget(
    name: "sqlite-worker", dependencies: ["LatchkeySQLite"], path: "Tests/SQLite/Worker", swiftSettings: settings)
]
// What every store of the enrollment server is held to, run by the tests of each.
let storeTestTargets: [Target] = [
  .target(
    name: "StoreContract",
    dependencies: [
      "LatchkeyEnrollmentServer", "LatchkeyEnrollmentStore", "LatchkeyEnrollmentProtocol", "LatchkeyLedger",
      "LatchkeyByteCoding", crypto,
    ],
    path: "Tests/Store/Contract", swiftSettings: settings),
  // Processes on one store that are killed while clients ask them.
  .executableTarget(
    name: "store-worker",
    dependencies: [
      "LatchkeyEnrollmentServer", "LatchkeyEnrollmentStore", "LatchkeyEnrollmentPostgres", "LatchkeyLedger", "Security",
      "LatchkeyKeychainStore", logging,
    ],
    path: "Tests/Enrollment/Torture/Worker", swiftSettings: settings),
  .testTarget(
    name: "EnrollmentTortureTests",
    dependencies: [
      "LatchkeyTestSupport", "LatchkeyPostgresTestSupport", "LatchkeyEnrollment", "LatchkeyEnrollmentPostgres",
      "LatchkeyEnrollmentProtocol", "LatchkeyEnrollmentServer", "LatchkeyEnrollmentStore", "LatchkeyLedger",
      "LatchkeyKeychainTesting", "LatchkeySwiftTesting", "Security", "latchkey-server", "store-worker", logging,
    ], path: "Tests/Enrollment/Torture/Tests", swiftSettings: settings),
]

// `Security` finds the store when the program is linked and imports nothing of it (ARCHITECTURE.md, "Security").
let linkedWith = [
  "Security": ["LatchkeyKeychainStore"], "LatchkeyKeychainItems": ["LatchkeyKeychainStore"],
  "LocalAuthentication": ["LatchkeyKeychainStore"], "LatchkeyCryptoEnclave": ["LatchkeyKeychainStore"],
  "CryptoKit": ["LatchkeyKeychainStore"], "LatchkeyURLSession": ["LatchkeyKeychainStore"],
  "LatchkeyKeychainBonds": ["LatchkeyKeychainStore"],
]

// Where a module `Security` is in a build, swift-certificates uses it (docs/traps.md). So what users link with swift-certificates has it,
// wherever in their package they name `LatchkeySecurity`.
let linkedWithCertificates = ["LatchkeyEnrollmentServer", "LatchkeyAttestation"]

// What users import, and the modules that each product gives them (README.md, "Installation"). All other modules are targets only.
let offers: [(product: String, modules: [String])] = [
  ("LatchkeyBluetooth", ["CoreBluetooth", "LatchkeyBluetoothTransports", "LatchkeyBluetoothEmulator"]),
  ("LatchkeyBluetoothTesting", ["LatchkeyBluetoothTesting", "LatchkeyBluetoothEmulator"]),
  ("LatchkeyProvisioning", ["LatchkeyProvisioning", "LatchkeyProvisioningProtocol", "LatchkeyNetworkJoining"]),
  ("LatchkeySecurity", ["Security", "LocalAuthentication", "LatchkeyCryptoEnclave", "LatchkeyKeychainStore"]),
  // By itself, since a module of this name has an effect on other packages of the build.
  ("LatchkeyCryptoKit", ["CryptoKit"]),
  ("LatchkeyKeychain", ["LatchkeyKeychainItems", "LatchkeyKeychainArchive", "LatchkeyKeychainStore"]),
  ("LatchkeyKeychainBonds", ["LatchkeyKeychainBonds"]),
  ("LatchkeyTesting", ["LatchkeyKeychainTesting", "LatchkeySwiftTesting", "LatchkeyKeychainStore"]),
  ("LatchkeyCertificateTrust", ["LatchkeyCertificateTrust"]),
  ("LatchkeyPKCS12", ["LatchkeyPKCS12"]),
  ("LatchkeyAttestation", ["LatchkeyAttestation", "LatchkeyEnclaveKeys"]),
  ("LatchkeyEnrollment", ["LatchkeyEnrollment", "LatchkeyEnrollmentProtocol"]),
  ("LatchkeyURLSession", ["LatchkeyURLSession"]),
  (
    "LatchkeyEnrollmentServer",
    [
      "LatchkeyEnrollmentServer", "LatchkeyEnrollmentStore", "LatchkeyEnrollmentProtocol",
      "LatchkeyCertificateAuthority",
      "LatchkeyLedger",
    ]
  ),
  ("LatchkeyEnrollmentPostgres", ["LatchkeyEnrollmentPostgres"]),
]
let programs = ["latchkey", "latchkey-server"]

// `LATCHKEY_TARGETS=BluetoothHostTests` (several by commas) leaves these targets and what they stand on, and nothing else:
// a contributor's first test then does not need Hummingbird (`Scripts/test-one`).
let everyTarget =
  libraries + testTargets + exampleTargets + mainQueueTargets + keychainTestTargets + supportTargets
  + sqliteTestTargets + storeTestTargets
let chosenTargets = chosen(of: everyTarget, from: Context.environment["LATCHKEY_TARGETS"])

// Apple's systems have frameworks of these names: there each product exists and holds an empty module, so that a manifest may name it
// with `condition: .when(platforms: [.linux])`. LATCHKEY_STAND_INS shows on Linux what such a manifest meets elsewhere.
#if os(Linux)
  let hasModules = Context.environment["LATCHKEY_STAND_INS"] == nil
#else
  let hasModules = false
#endif
let standIns: [Target] = [
  .target(name: "LatchkeyStandIn", swiftSettings: settings),
  .executableTarget(name: "latchkey-stand-in", swiftSettings: settings),
]

/// The products of a list of targets: those of `offers` whose modules are all there, and the programs.
func products(of targets: [Target]) -> [Product] {
  let names = Set(targets.map(\.name))
  let offered = offers.filter { names.isSuperset(of: $0.modules) }.map { offer -> Product in
    var others = Set(offer.modules.flatMap { linkedWith[$0] ?? [] })
    if linkedWithCertificates.contains(offer.product) {
      others.formUnion(names.intersection(["Security", "LatchkeyKeychainStore"]))
    }
    return .library(name: offer.product, targets: offer.modules + others.subtracting(offer.modules).sorted())
  }
  return offered + programs.filter(names.contains).map { .executable(name: $0, targets: [$0]) }
}

/// The same products without a module of Apple's name.
var standInProducts: [Product] {
  offers.map { .library(name: $0.product, targets: ["LatchkeyStandIn"]) }
    + programs.map { .executable(name: $0, targets: ["latchkey-stand-in"]) }
}

/// The targets that a list of names asks for, with all that they depend on; all of them without a list.
func chosen(of targets: [Target], from list: String?) -> [Target] {
  guard let list, !list.isEmpty else { return targets }
  let byName = Dictionary(uniqueKeysWithValues: targets.map { ($0.name, $0) })
  var waiting = list.split(separator: ",").map(String.init)
  var names: Set<String> = []
  while let name = waiting.popLast() {
    guard let target = byName[name], names.insert(name).inserted else { continue }
    waiting += target.dependencies.compactMap(\.target) + (linkedWith[name] ?? [])
  }
  return targets.filter { names.contains($0.name) }
}

/// The packages that some target of a list depends on.
func packages(_ all: [Package.Dependency], for targets: [Target]) -> [Package.Dependency] {
  let wanted = Set(targets.flatMap(\.dependencies).compactMap(\.package))
  return all.filter { dependency in wanted.contains { dependency.isAt($0) } }
}

extension Target.Dependency {
  var target: String? {
    switch self {
    case .targetItem(let name, _), .byNameItem(let name, _): name
    default: nil
    }
  }

  var package: String? {
    guard case .productItem(_, let package, _, _) = self else { return nil }
    return package
  }
}

extension Package.Dependency {
  func isAt(_ package: String) -> Bool {
    guard case .sourceControl(_, let location, _) = kind else { return false }
    return location.hasSuffix("/\(package).git")
  }
}

let package = Package(
  name: "latchkey",
  products: hasModules ? products(of: chosenTargets) : standInProducts,
  traits: [
    .default(enabledTraits: ["Keychain", "Service", "Tools"]),
    .trait(
      name: "Keychain", description: "Security, LocalAuthentication and what stands on them (Debian: libsqlite3-dev)."),
    .trait(
      name: "Service", description: "Enrollment, its server, and the evaluation of certificate chains.",
      enabledTraits: ["Keychain"]),
    .trait(name: "Tools", description: "The programs latchkey and latchkey-server.", enabledTraits: ["Service"]),
    .trait(
      name: "PostgreSQL", description: "The enrollment server on PostgreSQL, through libpq (Debian: libpq-dev).",
      enabledTraits: ["Service"]),
    .trait(
      name: "TPM", description: "Keys in a TPM 2.0, through tpm2-tss (Debian: libtss2-dev).",
      enabledTraits: ["Keychain"]),
  ],
  dependencies: packages(
    [
      .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
      .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.4"),
      .package(url: "https://github.com/apple/swift-certificates.git", from: "1.21.1"),
      // Without its reader of JSON: the program has a strict one, which refuses a name that stands twice.
      .package(url: "https://github.com/apple/swift-configuration.git", from: "1.4.0", traits: []),
      .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
      .package(url: "https://github.com/apple/swift-http-structured-headers.git", from: "1.7.0"),
      .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
      .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
      .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
      .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
      .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
      .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.46.0"),
      .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
      .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
      .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
      .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    ], for: hasModules ? chosenTargets : []),
  targets: hasModules ? chosenTargets : standIns,
  swiftLanguageModes: [.v6]
)
