// swift-tools-version: 6.3
// The program of the document on encrypted provisioning, and a device for it: in two terminals.

import PackageDescription

let package = Package(
  name: "encrypted-provisioning-example",
  products: [
    .executable(name: "provisioning-app", targets: ["provisioning-app"]),
    .executable(name: "provisioning-device", targets: ["provisioning-device"]),
  ],
  dependencies: [
    .package(name: "latchkey", path: "../..", traits: ["Keychain"]), .package(path: "../terminal"),
    .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
  ],
  targets: [
    .target(
      name: "EncryptedProvisioning",
      dependencies: [
        .product(name: "LatchkeyBluetooth", package: "latchkey"),
        .product(name: "LatchkeyProvisioning", package: "latchkey"), .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
      ]),
    .executableTarget(
      name: "provisioning-app",
      dependencies: [
        "EncryptedProvisioning", .product(name: "ExampleTerminal", package: "terminal"),
        .product(name: "LatchkeyBluetooth", package: "latchkey"),
        .product(name: "LatchkeyProvisioning", package: "latchkey"),
        .product(name: "LatchkeySecurity", package: "latchkey"),
      ]),
    .executableTarget(
      name: "provisioning-device",
      dependencies: [
        .product(name: "ExampleTerminal", package: "terminal"),
        .product(name: "LatchkeyProvisioning", package: "latchkey"),
      ]),
  ]
)
