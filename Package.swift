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
func appTests(_ name: String, imports dependencies: [Target.Dependency], mode: SwiftLanguageMode = .v6) -> Target {
  .testTarget(
    name: name, dependencies: dependencies,
    swiftSettings: [.treatAllWarnings(as: .error), .swiftLanguageMode(mode)])
}

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let x509 = Target.Dependency.product(name: "X509", package: "swift-certificates")
let swiftASN1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")

// Apple's systems have these modules already: there, clients get the system's frameworks.
#if os(Linux)
  let rooms: [Target] = [
    room("ByteCoding"),
    room("Attestation", imports: ["EnclaveKeys", "ByteCoding", swiftASN1, x509, crypto, cryptoExtras]),
    room("BluetoothHost", imports: ["ByteCoding"]),
    room("BluetoothEmulator", imports: ["ByteCoding", "BluetoothHost"]),
    room(
      "BluetoothTransports",
      imports: ["ByteCoding", "BluetoothHost", "BluetoothEmulator", logging, nioCore, nioPosix]),
    room("CoreBluetooth", imports: ["BluetoothHost", "BluetoothTransports", "ByteCoding", logging]),
    room("CryptoEnclave", imports: ["Security", "LocalAuthentication", "KeychainModel", "EnclaveKeys", crypto]),
    room("EnclaveKeys", imports: ["KeychainModel", "ByteCoding", swiftASN1, crypto, cryptoExtras]),
    // tpm2-tss is imported only in `#if TPM`: without the trait the target is empty.
    room(
      "EnclaveTPM",
      imports: [
        "EnclaveKeys", "KeychainModel", "ByteCoding", crypto,
        .target(name: "CTSS2", condition: .when(traits: ["TPM"])),
      ]),
    room("KeychainItems", imports: ["Security", "PropertyLists", "ByteCoding", crypto, cryptoExtras]),
    room("KeychainModel", imports: ["ByteCoding"]),
    room(
      "KeychainStore",
      imports: [
        "KeychainModel", "EnclaveKeys", "PropertyLists", "ByteCoding", grdb, crypto, cryptoExtras, logging,
        .target(name: "EnclaveTPM", condition: .when(traits: ["TPM"])),
      ]),
    room("KeychainTesting", imports: ["KeychainModel", "KeychainStore"]),
    room("LocalAuthentication", imports: ["Security", "KeychainModel"]),
    room("PropertyLists", imports: ["ByteCoding"]),
    room("Provisioning", imports: ["ProvisioningProtocol", "CoreBluetooth"]),
    room("ProvisioningProtocol", imports: ["ByteCoding", crypto, cryptoExtras]),
    room("Security", imports: ["KeychainModel", "EnclaveKeys", "ByteCoding", swiftASN1, crypto, cryptoExtras]),
    .systemLibrary(name: "CTSS2"),
    .executableTarget(
      name: "latchkey",
      dependencies: [
        "Attestation", "ByteCoding", "BluetoothTransports", "CoreBluetooth", "EnclaveKeys", "KeychainItems",
        "KeychainModel", "KeychainStore", "LocalAuthentication", "Provisioning", "ProvisioningProtocol", "Security",
        argumentParser, crypto, logging,
      ],
      swiftSettings: settings),
  ]
  let testRooms: [Target] = [
    tests(
      "AttestationTests",
      imports: [
        "Attestation", "EnclaveKeys", "KeychainModel", "ByteCoding", swiftASN1, x509, crypto, cryptoExtras,
      ],
      resources: [.copy("Fixtures")]),
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
    tests(
      "CryptoEnclaveTests", imports: ["CryptoEnclave", "Security", "LocalAuthentication", "KeychainTesting", crypto]),
    appTests("Document001Tests", imports: ["CoreBluetooth"]),
    appTests("Document003Tests", imports: ["Security", "KeychainItems", "KeychainTesting"]),
    appTests(
      "Document004Tests", imports: ["Security", "LocalAuthentication", "KeychainStore", "KeychainTesting"]),
    tests(
      "EnclaveKeysTests", imports: ["EnclaveKeys", "KeychainModel", "ByteCoding", crypto, cryptoExtras],
      resources: [.copy("Vectors")]),
    tests(
      "EnclaveTPMTests",
      imports: [
        "EnclaveTPM", "EnclaveKeys", "KeychainModel", "KeychainStore", "KeychainTesting", "ByteCoding", "Security",
        "LocalAuthentication", "Attestation", crypto,
        .target(name: "CTSS2", condition: .when(traits: ["TPM"])),
      ]),
    tests(
      "LocalAuthenticationTests",
      imports: ["LocalAuthentication", "Security", "KeychainModel", "KeychainStore", "KeychainTesting"]),
    tests(
      "KeychainItemsTests", imports: ["KeychainItems", "KeychainTesting", "Security", "PropertyLists", "ByteCoding"]),
    tests("KeychainModelTests", imports: ["KeychainModel", "ByteCoding"]),
    tests(
      "KeychainStoreTests",
      imports: [
        "KeychainStore", "KeychainTesting", "KeychainModel", "EnclaveKeys", "ByteCoding", "CRecordingVFS",
        "keychain-worker", grdb,
        crypto, cryptoExtras,
      ], resources: [.copy("Fixtures")]),
    tests("PropertyListsTests", imports: ["PropertyLists", "ByteCoding"]),
    tests(
      "ProvisioningTests",
      imports: [
        "ByteCoding", "BluetoothEmulator", "BluetoothHost", "BluetoothTransports", "CoreBluetooth", "Provisioning",
        "ProvisioningProtocol",
      ], resources: [.copy("Fixtures")]),
    tests(
      "ProvisioningProtocolTests", imports: ["ProvisioningProtocol", "ByteCoding"], resources: [.copy("Fixtures")]),
    appTests("SecurityIdiomsSwift5Tests", imports: ["Security", "KeychainTesting"], mode: .v5),
    appTests("SecurityIdiomsSwift6Tests", imports: ["Security", "KeychainTesting"]),
    tests(
      "SecurityTests",
      imports: ["Security", "LocalAuthentication", "KeychainModel", "KeychainStore", "KeychainTesting"],
      resources: [.copy("Vectors")]),
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
  // What the keychain's tests run beside themselves: other processes on one file, and a disk that loses power.
  let keychainTestRooms: [Target] = [
    .target(name: "CRecordingVFS", path: "Tests/Keychain/RecordingVFS", linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "keychain-worker", dependencies: ["KeychainStore", "KeychainModel", "ByteCoding"],
      path: "Tests/Keychain/Worker", swiftSettings: settings),
  ]
#else
  let rooms: [Target] = []
  let testRooms: [Target] = []
  let keychainTestRooms: [Target] = []
  let mainQueueRooms: [Target] = []
#endif

// `Security` finds the store when the program is linked and imports nothing of it (ARCHITECTURE.md, "Security").
let linkedWith = [
  "Security": ["KeychainStore"], "KeychainItems": ["KeychainStore"], "LocalAuthentication": ["KeychainStore"],
  "CryptoEnclave": ["KeychainStore"],
]

let package = Package(
  name: "latchkey",
  products: rooms.filter { $0.type != .system }.map {
    $0.type == .executable
      ? .executable(name: $0.name, targets: [$0.name])
      : .library(name: $0.name, targets: [$0.name] + (linkedWith[$0.name] ?? []))
  },
  traits: [
    .trait(name: "TPM", description: "Keys in a TPM 2.0, through tpm2-tss (Debian: libtss2-dev).")
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.4"),
    .package(url: "https://github.com/apple/swift-certificates.git", from: "1.21.1"),
    .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
    .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
  ],
  targets: rooms + testRooms + mainQueueRooms + keychainTestRooms,
  swiftLanguageModes: [.v6]
)
