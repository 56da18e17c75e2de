// swift-tools-version: 6.3
// The program of the document on a key of the Secure Enclave behind Touch ID, and a server that verifies its signatures.

import PackageDescription

let package = Package(
  name: "touch-id-example",
  products: [
    .executable(name: "touch-id-app", targets: ["touch-id-app"]),
    .executable(name: "touch-id-server", targets: ["touch-id-server"]),
  ],
  dependencies: [
    .package(name: "latchkey", path: "../..", traits: ["Keychain"]), .package(path: "../terminal"),
    .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
  ],
  targets: [
    .target(name: "KeychainTouchID", dependencies: [.product(name: "LatchkeySecurity", package: "latchkey")]),
    .executableTarget(
      name: "touch-id-app",
      dependencies: [
        "KeychainTouchID", .product(name: "ExampleTerminal", package: "terminal"),
        .product(name: "LatchkeySecurity", package: "latchkey"), .product(name: "Crypto", package: "swift-crypto"),
      ]),
    .executableTarget(
      name: "touch-id-server",
      dependencies: [
        .product(name: "ExampleTerminal", package: "terminal"), .product(name: "Crypto", package: "swift-crypto"),
      ]),
  ]
)
