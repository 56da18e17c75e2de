// swift-tools-version: 6.3
// A service of one route on the enrollment server. Its tests are `ServiceRoutesTests` of the package above.

import PackageDescription

let package = Package(
  name: "meter-example",
  products: [.executable(name: "meter-server", targets: ["meter-server"])],
  dependencies: [
    .package(name: "latchkey", path: "../..", traits: ["Service"]),
    .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
  ],
  targets: [
    .target(
      name: "MeterReadings",
      dependencies: [
        .product(name: "LatchkeyEnrollmentServer", package: "latchkey"),
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    .executableTarget(
      name: "meter-server",
      dependencies: [
        "MeterReadings", .product(name: "LatchkeySecurity", package: "latchkey"),
        .product(name: "Logging", package: "swift-log"),
      ]),
  ]
)
