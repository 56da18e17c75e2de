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

/// A part of a program of `Examples/`, which is a package of its own there, and tested here: the same sources, compiled as apps are.
func example(_ place: String, _ name: String, imports dependencies: [Target.Dependency]) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Examples/\(place)/Sources/\(name)",
    swiftSettings: [.treatAllWarnings(as: .error)])
}

/// An executable of `Examples/`, likewise.
func exampleProgram(_ place: String, _ name: String, imports dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: "Examples/\(place)/Sources/\(name)",
    swiftSettings: [.treatAllWarnings(as: .error)])
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
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let hummingbirdHTTP2 = Target.Dependency.product(name: "HummingbirdHTTP2", package: "hummingbird")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioHPACK = Target.Dependency.product(name: "NIOHPACK", package: "swift-nio-http2")
let nioHTTP2 = Target.Dependency.product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioHTTPTypesHTTP2 = Target.Dependency.product(name: "NIOHTTPTypesHTTP2", package: "swift-nio-extras")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let structuredFields = Target.Dependency.product(
  name: "RawStructuredFieldValues", package: "swift-http-structured-headers")
let swiftASN1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")

// Apple's systems have these modules already: there, clients get the system's frameworks.
#if os(Linux)
  let rooms: [Target] = [
    room("ByteCoding"),
    room("AgeEncryption", imports: ["ByteCoding", crypto, cryptoExtras]),
    room("Attestation", imports: ["EnclaveKeys", "ByteCoding", swiftASN1, x509, crypto, cryptoExtras]),
    room("BluetoothHost", imports: ["ByteCoding"]),
    room("BluetoothEmulator", imports: ["ByteCoding", "BluetoothHost"]),
    room(
      "BluetoothTransports",
      imports: ["ByteCoding", "BluetoothHost", "BluetoothEmulator", logging, nioCore, nioPosix]),
    room("CertificateAuthority", imports: ["ByteCoding", "EnclaveKeys", swiftASN1, x509, crypto]),
    room("CertificateTrust", imports: ["KeychainModel", swiftASN1, x509, crypto]),
    room(
      "CoreBluetooth", imports: ["BluetoothHost", "BluetoothTransports", "ByteCoding", "ProcessEnvironment", logging]),
    room("CryptoEnclave", imports: ["Security", "LocalAuthentication", "KeychainModel", "EnclaveKeys", crypto]),
    room("EnclaveKeys", imports: ["KeychainModel", "ByteCoding", swiftASN1, crypto, cryptoExtras]),
    // tpm2-tss is imported only in `#if TPM`: without the trait the target is empty.
    room(
      "EnclaveTPM",
      imports: [
        "EnclaveKeys", "KeychainModel", "ByteCoding", "ProcessEnvironment", crypto,
        .target(name: "CTSS2", condition: .when(traits: ["TPM"])),
      ]),
    room(
      "Enrollment",
      imports: [
        "EnrollmentProtocol", "SealedMessages", "PKCS12", "Security", "KeychainModel", "LocalAuthentication",
        "CertificateTrust", "ByteCoding", "EnclaveKeys", swiftASN1, x509, crypto, asyncHTTPClient, nioCore, nioPosix,
        nioHTTP1, nioSSL, logging,
      ]),
    // libpq is imported only in `#if PostgreSQL`: without the trait the target is empty.
    room(
      "EnrollmentPostgres",
      imports: [
        "EnrollmentStore", "EnrollmentProtocol", "ByteCoding", logging,
        .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
      ]),
    room("EnrollmentProtocol", imports: ["ByteCoding", "SealedMessages", crypto]),
    room(
      "EnrollmentServer",
      imports: [
        "EnrollmentStore", "EnrollmentProtocol", "CertificateAuthority", "SealedMessages", "PKCS12", "EnclaveKeys",
        "Attestation", "ByteCoding", swiftASN1, x509, crypto, cryptoExtras, hummingbird, hummingbirdCore,
        hummingbirdHTTP2, httpTypes, nioCore, nioPosix, nioHTTP1, nioHTTP2, nioHTTPTypes, nioHTTPTypesHTTP2, nioSSL,
        nioTLS, logging, metrics, serviceLifecycle,
      ]),
    room("EnrollmentStore", imports: ["EnrollmentProtocol", "ByteCoding", grdb, crypto, logging]),
    room("KeychainArchive", imports: ["AgeEncryption", "KeychainModel", "KeychainStore"]),
    room("KeychainItems", imports: ["Security", "PropertyLists", "ByteCoding", crypto, cryptoExtras]),
    room("KeychainModel", imports: ["ByteCoding"]),
    room(
      "KeychainStore",
      imports: [
        "KeychainModel", "EnclaveKeys", "PropertyLists", "ByteCoding", "ProcessEnvironment", "AgeEncryption", grdb,
        crypto, cryptoExtras, logging,
        .target(name: "EnclaveTPM", condition: .when(traits: ["TPM"])),
      ]),
    room("KeychainTesting", imports: ["KeychainModel", "KeychainStore"]),
    room("LocalAuthentication", imports: ["Security", "KeychainModel"]),
    room("PKCS12", imports: ["ByteCoding", swiftASN1, crypto, cryptoExtras]),
    room("ProcessEnvironment"),
    room("PropertyLists", imports: ["ByteCoding"]),
    room("Provisioning", imports: ["ProvisioningProtocol", "CoreBluetooth"]),
    room("ProvisioningProtocol", imports: ["ByteCoding", crypto, cryptoExtras]),
    room("SealedMessages", imports: ["ByteCoding", structuredFields, crypto, cryptoExtras]),
    room(
      "Security", imports: ["KeychainModel", "EnclaveKeys", "PKCS12", "ByteCoding", swiftASN1, crypto, cryptoExtras]),
    .systemLibrary(name: "CPostgreSQL"),
    .systemLibrary(name: "CTSS2"),
    .executableTarget(
      name: "latchkey",
      dependencies: [
        "AgeEncryption", "Attestation", "ByteCoding", "BluetoothEmulator", "BluetoothTransports", "CertificateTrust",
        "CoreBluetooth", "EnclaveKeys", "Enrollment", "EnrollmentProtocol", "KeychainArchive", "KeychainItems",
        "KeychainModel",
        "KeychainStore",
        "LocalAuthentication",
        "PKCS12", "ProcessEnvironment", "Provisioning", "ProvisioningProtocol", "SealedMessages", "Security",
        argumentParser, crypto, logging,
      ],
      swiftSettings: settings),
    // The server is a program of its own, so that the other stays small and builds fast; `latchkey serve` executes it.
    .executableTarget(
      name: "latchkey-server",
      dependencies: [
        "Attestation", "ByteCoding", "CertificateAuthority", "EnrollmentServer", "EnrollmentStore",
        "EnrollmentPostgres",
        "EnrollmentProtocol", "KeychainModel", "KeychainStore", "ProcessEnvironment", "Security", argumentParser,
        logging,
        serviceLifecycle,
      ],
      swiftSettings: settings),
  ]
  let testRooms: [Target] = [
    tests("AgeEncryptionTests", imports: ["AgeEncryption", crypto]),
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
      "CertificateAuthorityTests",
      imports: ["CertificateAuthority", "EnclaveKeys", "ByteCoding", swiftASN1, x509, crypto]),
    tests(
      "CertificateTrustTests",
      imports: ["CertificateTrust", "Security", "KeychainModel", "KeychainTesting", swiftASN1, x509, crypto],
      resources: [.copy("Fixtures")]),
    tests(
      "CoreBluetoothTests",
      imports: ["BluetoothEmulator", "BluetoothHost", "BluetoothTransports", "ByteCoding", "CoreBluetooth"]),
    tests(
      "CryptoEnclaveTests", imports: ["CryptoEnclave", "Security", "LocalAuthentication", "KeychainTesting", crypto]),
    appTests(
      "Document000Tests",
      imports: [
        "EncryptedProvisioning", "CoreBluetooth", "BluetoothTransports", "BluetoothEmulator", "Provisioning",
        "ProvisioningProtocol",
      ]),
    appTests(
      "Document001Tests",
      imports: ["MyBlueDevice", "MyBlueApp", "CoreBluetooth", "BluetoothTransports", "BluetoothEmulator"]),
    appTests(
      "Document002Tests",
      imports: [
        "sealed-transfer", "Enrollment", "EnrollmentProtocol", "EnrollmentServer", "EnrollmentStore",
        "CertificateAuthority", "SealedMessages", "Security", "KeychainTesting", logging, serviceLifecycle,
      ]),
    appTests("Document003Tests", imports: ["LLKeyChain", "Security", "KeychainItems", "KeychainTesting"]),
    appTests(
      "Document004Tests",
      imports: ["KeychainTouchID", "Security", "LocalAuthentication", "KeychainStore", "KeychainTesting"]),
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
      "EnrollmentPostgresTests",
      imports: [
        "EnrollmentPostgres", "EnrollmentStore", "EnrollmentProtocol", "StoreContract", "ByteCoding", logging,
        .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
      ]),
    tests("EnrollmentProtocolTests", imports: ["EnrollmentProtocol", "SealedMessages", "ByteCoding", crypto]),
    tests(
      "EnrollmentServerTests",
      imports: [
        "EnrollmentServer", "latchkey-server", "EnrollmentStore", "EnrollmentProtocol", "CertificateAuthority",
        "SealedMessages",
        "PKCS12", "EnclaveKeys", "Attestation", "Security", "KeychainTesting", "ByteCoding", swiftASN1, x509, crypto,
        cryptoExtras, hummingbird, httpTypes, asyncHTTPClient, nioCore, nioPosix, nioHPACK, nioHTTP1, nioHTTP2,
        nioSSL, logging, metrics,
        serviceLifecycle,
      ]),
    tests(
      "EnrollmentStoreTests",
      imports: ["EnrollmentStore", "EnrollmentProtocol", "StoreContract", "ByteCoding", grdb, crypto],
      resources: [.copy("Fixtures")]),
    tests(
      "EnrollmentTests",
      imports: [
        "Enrollment", "EnrollmentServer", "EnrollmentStore", "EnrollmentProtocol", "CertificateAuthority",
        "SealedMessages", "PKCS12", "Security", "LocalAuthentication", "KeychainModel", "KeychainStore",
        "KeychainTesting", "KeychainTouchID", "EnclaveKeys", "Attestation", "ByteCoding", swiftASN1, x509, crypto,
        cryptoExtras,
        asyncHTTPClient, nioCore, nioPosix, nioHTTP1, nioSSL, logging, serviceLifecycle,
      ]),
    // The programs of `Examples/`, run by `Examples/run`.
    tests(
      "ExamplesTests",
      imports: [
        "latchkey", "latchkey-server", "provisioning-app", "provisioning-device", "my-blue-app", "my-blue-device",
        "sealed-transfer", "keychain-manager", "touch-id-app", "touch-id-server",
      ]),
    tests(
      "KeychainArchiveTests",
      imports: ["KeychainArchive", "AgeEncryption", "KeychainStore", "KeychainTesting", "KeychainModel", crypto]),
    tests(
      "LocalAuthenticationTests",
      imports: ["LocalAuthentication", "Security", "KeychainModel", "KeychainStore", "KeychainTesting"]),
    tests(
      "KeychainItemsTests", imports: ["KeychainItems", "KeychainTesting", "Security", "PropertyLists", "ByteCoding"]),
    tests("KeychainModelTests", imports: ["KeychainModel", "ByteCoding"]),
    tests(
      "KeychainStoreTests",
      imports: [
        "KeychainStore", "KeychainTesting", "KeychainModel", "EnclaveKeys", "ByteCoding", "ProcessEnvironment",
        "AgeEncryption",
        "CRecordingVFS",
        "keychain-worker", grdb,
        crypto, cryptoExtras,
      ], resources: [.copy("Fixtures")]),
    tests(
      "PKCS12Tests", imports: ["PKCS12", "ByteCoding", swiftASN1, crypto, cryptoExtras],
      resources: [.copy("Fixtures")]),
    tests("PropertyListsTests", imports: ["PropertyLists", "ByteCoding"]),
    tests(
      "ProvisioningTests",
      imports: [
        "ByteCoding", "BluetoothEmulator", "BluetoothHost", "BluetoothTransports", "CoreBluetooth", "Provisioning",
        "ProvisioningProtocol",
      ], resources: [.copy("Fixtures")]),
    tests(
      "ProvisioningProtocolTests", imports: ["ProvisioningProtocol", "ByteCoding"], resources: [.copy("Fixtures")]),
    tests(
      "SealedMessagesTests", imports: ["SealedMessages", "ByteCoding", crypto, cryptoExtras],
      resources: [.copy("Vectors")]),
    appTests("SecurityIdiomsSwift5Tests", imports: ["Security", "KeychainTesting"], mode: .v5),
    appTests("SecurityIdiomsSwift6Tests", imports: ["Security", "KeychainTesting"]),
    tests(
      "SecurityTests",
      imports: ["Security", "LocalAuthentication", "KeychainModel", "KeychainStore", "KeychainTesting"],
      resources: [.copy("Vectors")]),
    tests(
      "latchkeyTests",
      imports: [
        "latchkey", "my-blue-app", "my-blue-device", "provisioning-app", "provisioning-device", "sealed-transfer",
        "keychain-worker", "keychain-manager", "touch-id-app", "touch-id-server", "CoreBluetooth", "AgeEncryption",
        crypto,
      ],
      resources: [.copy("Golden"), .copy("Transcripts")]),
  ]
  let exampleRooms: [Target] = [
    example("terminal", "ExampleTerminal", imports: []),
    example(
      "000-encrypted-provisioning", "EncryptedProvisioning",
      imports: ["CoreBluetooth", "ProvisioningProtocol", crypto, cryptoExtras]),
    exampleProgram(
      "000-encrypted-provisioning", "provisioning-app",
      imports: [
        "EncryptedProvisioning", "CoreBluetooth", "ExampleTerminal", "Provisioning", "KeychainModel", "KeychainStore",
      ]),
    exampleProgram("000-encrypted-provisioning", "provisioning-device", imports: ["ExampleTerminal", "Provisioning"]),
    example("001-corebluetooth", "MyBlueDevice", imports: ["CoreBluetooth"]),
    example("001-corebluetooth", "MyBlueApp", imports: ["CoreBluetooth"]),
    exampleProgram("001-corebluetooth", "my-blue-device", imports: ["MyBlueDevice", "ExampleTerminal"]),
    exampleProgram("001-corebluetooth", "my-blue-app", imports: ["MyBlueApp", "CoreBluetooth", "ExampleTerminal"]),
    exampleProgram(
      "002-sealed-transfer", "sealed-transfer",
      imports: [
        "Enrollment", "ExampleTerminal", "Security", "KeychainModel", "KeychainStore", asyncHTTPClient, nioSSL, crypto,
        cryptoExtras,
      ]),
    example("003-keychain-manager", "LLKeyChain", imports: ["Security", crypto, cryptoExtras]),
    exampleProgram(
      "003-keychain-manager", "keychain-manager", imports: ["KeychainItems", "KeychainStore", "ExampleTerminal"]),
    example("004-touch-id", "KeychainTouchID", imports: ["Security"]),
    exampleProgram(
      "004-touch-id", "touch-id-app",
      imports: ["KeychainTouchID", "ExampleTerminal", "LocalAuthentication", "Security", "KeychainStore", crypto]),
    exampleProgram("004-touch-id", "touch-id-server", imports: ["ExampleTerminal", crypto]),
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
      name: "keychain-worker",
      dependencies: ["KeychainStore", "KeychainModel", "EnclaveKeys", "ByteCoding", "ProcessEnvironment"],
      path: "Tests/Keychain/Worker", swiftSettings: settings),
  ]
  // What every store of the enrollment server is held to, run by the tests of each.
  let storeTestRooms: [Target] = [
    .target(
      name: "StoreContract", dependencies: ["EnrollmentStore", "EnrollmentProtocol", "ByteCoding"],
      path: "Tests/Store/Contract", swiftSettings: settings),
    // Processes on one store that are killed while clients ask them.
    .executableTarget(
      name: "store-worker", dependencies: ["EnrollmentStore", "EnrollmentPostgres", logging],
      path: "Tests/Enrollment/Torture/Worker", swiftSettings: settings),
    .testTarget(
      name: "EnrollmentTortureTests",
      dependencies: [
        "Enrollment", "EnrollmentPostgres", "EnrollmentProtocol", "EnrollmentStore", "KeychainTesting", "Security",
        "latchkey-server", "store-worker", logging,
      ], path: "Tests/Enrollment/Torture/Tests", swiftSettings: settings),
  ]
#else
  let storeTestRooms: [Target] = []
  let rooms: [Target] = []
  let testRooms: [Target] = []
  let keychainTestRooms: [Target] = []
  let mainQueueRooms: [Target] = []
  let exampleRooms: [Target] = []
#endif

// `Security` finds the store when the program is linked and imports nothing of it (ARCHITECTURE.md, "Security").
let linkedWith = [
  "Security": ["KeychainStore"], "KeychainItems": ["KeychainStore"], "LocalAuthentication": ["KeychainStore"],
  "CryptoEnclave": ["KeychainStore"],
]

// `LATCHKEY_TARGETS=BluetoothHostTests` (several by commas) leaves these targets and what they stand on, and nothing else:
// a contributor's first test then needs neither Hummingbird nor GRDB (`Scripts/test-one`).
let everyTarget = rooms + testRooms + exampleRooms + mainQueueRooms + keychainTestRooms + storeTestRooms
let chosenTargets = chosen(of: everyTarget, from: Context.environment["LATCHKEY_TARGETS"])

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
  products: chosenTargets.filter { target in target.type != .system && rooms.contains { $0 === target } }.map {
    $0.type == .executable
      ? .executable(name: $0.name, targets: [$0.name])
      : .library(name: $0.name, targets: [$0.name] + (linkedWith[$0.name] ?? []))
  },
  traits: [
    .trait(name: "PostgreSQL", description: "The enrollment server on PostgreSQL, through libpq (Debian: libpq-dev)."),
    .trait(name: "TPM", description: "Keys in a TPM 2.0, through tpm2-tss (Debian: libtss2-dev)."),
  ],
  dependencies: packages(
    [
      .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
      .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.4"),
      .package(url: "https://github.com/apple/swift-certificates.git", from: "1.21.1"),
      .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
      .package(url: "https://github.com/apple/swift-http-structured-headers.git", from: "1.7.0"),
      .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
      .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
      .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
      .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
      .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
      .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.46.0"),
      .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
      .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
      .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
      .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
      .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    ], for: chosenTargets),
  targets: chosenTargets,
  swiftLanguageModes: [.v6]
)
