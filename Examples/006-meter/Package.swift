// swift-tools-version: 6.3
// A service on the enrollment server, with its tests: `swift test --package-path Examples/006-meter`.

import PackageDescription

let package = Package(
  name: "meter-example",
  products: [.executable(name: "meter-server", targets: ["meter-server"])],
  dependencies: [
    .package(name: "latchkey", path: "../..", traits: ["Service"]),
    .package(path: "../terminal"),
    .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
  ],
  targets: [
    .target(
      name: "MeterReadings",
      dependencies: [
        .product(name: "LatchkeyEnrollmentServer", package: "latchkey"),
        .product(name: "Crypto", package: "swift-crypto"), .product(name: "Logging", package: "swift-log"),
      ]),
    .executableTarget(
      name: "meter-server",
      dependencies: ["MeterReadings", .product(name: "ExampleTerminal", package: "terminal")]),
    .testTarget(
      name: "MeterReadingsTests",
      dependencies: [
        "MeterReadings", .product(name: "LatchkeyEnrollment", package: "latchkey"),
        .product(name: "LatchkeySecurity", package: "latchkey"),
        .product(name: "LatchkeyTesting", package: "latchkey"),
      ]),
  ]
)
