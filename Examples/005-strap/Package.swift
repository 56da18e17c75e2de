// swift-tools-version: 6.3
// A heart rate app in a terminal. Its suite of tests is `Tests/StrapExampleTests` of the package above.

import PackageDescription

let package = Package(
  name: "strap-example",
  products: [.executable(name: "strap", targets: ["strap"])],
  dependencies: [.package(name: "latchkey", path: "../..", traits: []), .package(path: "../terminal")],
  targets: [
    .target(name: "StrapApp", dependencies: [.product(name: "LatchkeyBluetooth", package: "latchkey")]),
    .executableTarget(
      name: "strap", dependencies: ["StrapApp", .product(name: "ExampleTerminal", package: "terminal")]),
  ]
)
