// swift-tools-version: 6.3
// What the examples' programs have in common at a terminal: lines, and how a program ends.

import PackageDescription

let package = Package(
  name: "example-terminal",
  products: [.library(name: "ExampleTerminal", targets: ["ExampleTerminal"])],
  targets: [.target(name: "ExampleTerminal")]
)
