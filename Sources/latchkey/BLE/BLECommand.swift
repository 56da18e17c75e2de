import ArgumentParser

/// `latchkey ble`: a GATT browser.
struct BLECommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ble",
    abstract: "Look for Bluetooth LE devices, and at what they offer.",
    subcommands: [BLEScanCommand.self, BLEExploreCommand.self])
}
