// swift-tools-version: 6.3
// The program of the document on client certificates and sealed transfers, for `latchkey serve --documented`.

import PackageDescription

let package = Package(
  name: "sealed-transfer-example",
  products: [.executable(name: "sealed-transfer", targets: ["sealed-transfer"])],
  dependencies: [
    .package(name: "latchkey", path: "../..", traits: ["Service"]), .package(path: "../terminal"),
    .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
    .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
  ],
  targets: [
    .executableTarget(
      name: "sealed-transfer",
      dependencies: [
        .product(name: "LatchkeyEnrollment", package: "latchkey"),
        .product(name: "LatchkeySecurity", package: "latchkey"), .product(name: "ExampleTerminal", package: "terminal"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"), .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
      ])
  ]
)
