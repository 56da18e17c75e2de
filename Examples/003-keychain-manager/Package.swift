// swift-tools-version: 6.3
// The keychain class and the manager's demo of the document on the keychain.

import PackageDescription

let package = Package(
  name: "keychain-manager-example",
  products: [.executable(name: "keychain-manager", targets: ["keychain-manager"])],
  dependencies: [
    .package(name: "latchkey", path: "../..", traits: ["Keychain"]), .package(path: "../terminal"),
    .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
  ],
  targets: [
    .target(
      name: "LLKeyChain",
      dependencies: [
        .product(name: "LatchkeySecurity", package: "latchkey"), .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
      ]),
    .executableTarget(
      name: "keychain-manager",
      dependencies: [
        .product(name: "LatchkeyKeychain", package: "latchkey"),
        .product(name: "LatchkeySecurity", package: "latchkey"), .product(name: "ExampleTerminal", package: "terminal"),
      ]),
  ]
)
