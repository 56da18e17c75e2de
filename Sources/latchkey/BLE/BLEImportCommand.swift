import ArgumentParser
import CoreBluetooth
import Foundation
import LatchkeyBluetoothTesting
import LatchkeyBluetoothTransports
import LatchkeyCommandLine

/// What a cassette does not tell, and whether it replaces a file: the options of `ble import` and `ble record`.
struct CassetteOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Leave out the values of this UUID, or of this name; may be repeated.", valueName: "uuid"))
  var mask: [String] = []
  @Flag(help: "Keep serial numbers, system IDs, and addresses in values.") var keepIdentifiers = false
  @Flag(help: "Replace a file that is there.") var replace = false

  func validate() throws { _ = try masked() }

  /// The mask.
  func masked() throws -> CassetteMask {
    var uuids: Set<CBUUID> = []
    for path in try ConnectionOptions.paths(mask) {
      guard path.service == nil, path.descriptor == nil, let uuid = path.uuid.flatMap(AttributePath.uuid) else {
        throw ValidationError("--mask takes a UUID or a name alone, not \(path.text)")
      }
      uuids.insert(uuid)
    }
    return CassetteMask(uuids: uuids, keepsIdentifiers: keepIdentifiers)
  }
}

/// `latchkey ble import`: a capture as a cassette.
struct BLEImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Make a cassette of a capture, so that a phone's log becomes a test.",
    discussion: """
      CAPTURE is a btsnoop file (Android's btsnoop_hci.log, one of btmon -w, or of --trace) or one of Apple's PacketLogger. FILE gets \
      what a device advertised, its services, and what was read, written and sent, with times, in the form of \
      docs/cassette.schema.json, which tests play. With several devices in the capture, --device names one by its address or its name.

      The capture has to have the discovery of the device's services: begin it before the first connection, or remove the device from \
      the phone's Bluetooth settings first. Keys are never in FILE. Serial numbers, system IDs and addresses are masked, and what \
      --mask names: look at FILE by `ble show` before it leaves your hands.

      With --json: imported (device, name, services, advertisements, steps), remark (text), done or error.
      """,
    examples: [
      "latchkey ble import btsnoop_hci.log lamp.json",
      "latchkey ble import trace.pklg lamp.json --device Lamp --mask FFF3",
    ],
    statuses: [.badData, .inputOutput])

  @Argument(help: "The capture.") var capture: String
  @Argument(help: "The cassette to write.") var file: String
  @Option(help: "The device's address or name, where there are several.") var device: String?
  @OptionGroup var cassette: CassetteOptions
  @OptionGroup var output: EventOptions

  func run() async throws {
    try await output.run {
      let mask = try cassette.masked()
      try CassetteFile.check(file, replaces: cassette.replace)
      let bytes = try InputFile.read(capture, atMost: CassetteFile.captureCapacity)
      let content: CaptureImport
      let found: RecordedDevice
      let recorded: RecordedCassette
      do throws(CassetteError) {
        content = try CaptureImport(bytes)
        found = try content.device(device)
        recorded = try RecordedCassette(found, masking: mask)
      } catch {
        throw CassetteFile.failure(error, in: capture)
      }
      try CassetteFile.write(recorded, remarks: content.remarks, of: found, event: "imported", to: file, output)
    }
  }
}
