import ArgumentParser
import LatchkeyCommandLine

/// `latchkey ble`: a GATT browser.
struct BLECommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ble",
    abstract: "Look for Bluetooth LE devices, and at what they offer; or be one.",
    examples: [
      "latchkey ble scan --hci unix-client:/tmp/radio --seconds 5", "latchkey ble read Lamp battery-level --as uint8",
      "latchkey ble explore --name Lamp",
    ],
    statuses: [.unavailable],
    subcommands: [
      BLEScanCommand.self, BLEReadCommand.self, BLEWriteCommand.self, BLESubscribeCommand.self,
      BLEExploreCommand.self, BLEPairCommand.self, BLEBondsCommand.self, BLEThroughputCommand.self,
      BLEServeCommand.self, BLEReplayCommand.self, BLEChannelCommand.self, BLERecordCommand.self, BLEImportCommand.self,
      BLEShowCommand.self,
    ])
}
