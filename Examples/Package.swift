// swift-tools-version: 6.3
// Builds the programs of all examples beside each other: `swift build --package-path Examples --product my-blue-app`, and so on.
// Each folder is a package of its own, too; `terminal` is what their programs have in common.

import PackageDescription

let package = Package(
  name: "latchkey-examples",
  dependencies: [
    // The examples ask for different traits. Named first with the most of them, or the resolver leaves Service's packages unresolved.
    .package(name: "latchkey", path: "..", traits: ["Service"]),
    .package(path: "000-encrypted-provisioning"), .package(path: "001-corebluetooth"),
    .package(path: "002-sealed-transfer"), .package(path: "003-keychain-manager"), .package(path: "004-touch-id"),
    .package(path: "005-strap"), .package(path: "006-meter"),
  ]
)
