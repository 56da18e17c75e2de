// swift-tools-version: 6.3
// The programs of the document on CoreBluetooth: a device and an app, in two terminals.

import PackageDescription

let package = Package(
  name: "corebluetooth-example",
  products: [
    .executable(name: "my-blue-device", targets: ["my-blue-device"]),
    .executable(name: "my-blue-app", targets: ["my-blue-app"]),
  ],
  dependencies: [.package(name: "latchkey", path: "../..", traits: []), .package(path: "../terminal")],
  targets: [
    .target(name: "MyBlueDevice", dependencies: [.product(name: "LatchkeyBluetooth", package: "latchkey")]),
    .target(name: "MyBlueApp", dependencies: [.product(name: "LatchkeyBluetooth", package: "latchkey")]),
    .executableTarget(
      name: "my-blue-device",
      dependencies: ["MyBlueDevice", .product(name: "ExampleTerminal", package: "terminal")]),
    .executableTarget(
      name: "my-blue-app",
      dependencies: [
        "MyBlueApp", .product(name: "LatchkeyBluetooth", package: "latchkey"),
        .product(name: "ExampleTerminal", package: "terminal"),
      ]),
  ]
)
