import Foundation
import LatchkeyBluetoothTesting
import LatchkeyBluetoothTransports
import LatchkeyCommandLine
import LatchkeySystem

/// The file of a cassette.
enum CassetteFile {
  /// The longest capture that is read, bytes.
  static let captureCapacity = 256 << 20
  /// The longest cassette that is read, bytes.
  static let capacity = 32 << 20

  /// Looks before the work at whether the file can be written.
  ///
  /// - Throws: `fileExists` for a file that is there, unless it may be replaced.
  static func check(_ path: String, replaces: Bool) throws(CommandFailure) {
    guard let target = try OutputFile.target(path), FileManager.default.fileExists(atPath: target), !replaces else {
      return
    }
    throw CommandFailure(
      .usage, code: "fileExists",
      "\(PrintableText.escaped(path)) is there: give another name, or --replace")
  }

  /// Writes a cassette, and reports it and what is not in it.
  ///
  /// - Parameter event: the name of the event.
  static func write(
    _ recorded: RecordedCassette, remarks: [String] = [], of device: RecordedDevice, event: String, to path: String,
    _ output: EventOptions
  ) throws(CommandFailure) {
    let cassette = recorded.cassette
    try OutputFile.writeSecret([UInt8](cassette.json()), to: path)
    for remark in remarks + recorded.remarks { output.emit(remark, "remark", ["text": .text(remark)]) }
    let name = cassette.device.name
    let services = cassette.device.services.count
    output.emit(
      "\(PrintableText.escaped(path)): \(PrintableText.escaped(name)), \(count(services, "service")), "
        + "\(count(cassette.advertisements.count, "advertisement")), \(count(cassette.steps.count, "step"))", event,
      [
        "device": .text(device.identity.text), "name": .text(name), "services": .integer(services),
        "advertisements": .integer(cassette.advertisements.count), "steps": .integer(cassette.steps.count),
      ])
  }

  private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

  /// The failure of a command.
  static func failure(_ error: CassetteError, in path: String) -> CommandFailure {
    CommandFailure(
      error.code == .severalDevices || error.code == .noDevice ? .usage : .badData, code: error.code.rawValue,
      "\(PrintableText.escaped(path)): \(PrintableText.message(error.description))")
  }
}
