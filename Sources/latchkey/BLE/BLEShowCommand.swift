import ArgumentParser
import Foundation
import LatchkeyBluetoothTesting
import LatchkeyBluetoothTransports
import LatchkeyCommandLine
import LatchkeySystem

/// `latchkey ble show`: what is in a definition, a cassette or a capture.
struct BLEShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print what is in a device definition, a cassette or a capture.",
    discussion: """
      Which of them FILE is, its content tells: a definition or a cassette in JSON, or a btsnoop or PacketLogger capture. Of a \
      definition the services are printed, with their characteristics, properties and values; of a cassette also a line for each \
      advertisement and each step; of a capture a line for each PDU, and for what opens and ends connections. Keys are not printed.

      With --json: device (kind, name, mtu, pairing), service (service, name, primary), characteristic (path, service, \
      characteristic, descriptor, name, properties, value), advertisement (time, rssi, data, scanResponse, connectable), step (time, \
      path, service, characteristic, descriptor, name, kind, value, masked, subscription, answer), pdu (time, parties, text), \
      remark (text), done or error. Times are in seconds.
      """,
    examples: ["latchkey ble show lamp.json", "latchkey ble show btsnoop_hci.log"],
    statuses: [.badData, .inputOutput])

  @Argument(help: "The file.") var file: String
  @OptionGroup var output: EventOptions

  func run() async throws {
    try await output.run {
      let bytes = try InputFile.read(file, atMost: CassetteFile.captureCapacity)
      // A PacketLogger file may begin with the number of a brace, but not with the text of one.
      guard Self.isJSON(bytes) else { return try showCapture(bytes) }
      do throws(DefinitionError) {
        let shown = ShownDevice(output)
        if Self.isCassette(bytes) {
          shown.show(try Cassette(json: Data(bytes)))
        } else {
          shown.show(try DeviceDefinition(json: Data(bytes)))
        }
      } catch {
        throw CommandFailure(
          .badData, code: "definitionRefused", cause: error.description,
          "\(PrintableText.escaped(file)): \(PrintableText.message(error.description))")
      }
    }
  }

  private static func isJSON(_ bytes: [UInt8]) -> Bool {
    let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return bytes.first { !isSpace($0) } == UInt8(ascii: "{") && !bytes.prefix(4).contains(0)
  }

  /// Whether an object has the key of a cassette's version. Text that is no JSON has not: its error is that of a definition.
  private static func isCassette(_ bytes: [UInt8]) -> Bool {
    guard bytes.count <= CassetteFile.capacity else { return true }
    let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
    return object?["cassette"] != nil
  }

  private func showCapture(_ bytes: [UInt8]) throws {
    guard CaptureReader.recognizes(bytes) else {
      throw CommandFailure(
        .badData, code: "notACapture",
        "\(PrintableText.escaped(file)) is no definition, no cassette and no capture")
    }
    do throws(CassetteError) {
      let remarks = try CaptureText.forEachLine(bytes) { line in
        let text = PrintableText.escaped(line.text)
        let parties = PrintableText.escaped(line.parties)
        output.emit(
          "\(ShownDevice.time(line.time))  \(parties)  \(text)", "pdu",
          [
            "time": .text(ShownDevice.seconds(line.time)), "parties": .text(line.parties), "text": .text(line.text),
          ])
      }
      for remark in remarks { output.emit(remark, "remark", ["text": .text(remark)]) }
    } catch {
      throw CassetteFile.failure(error, in: file)
    }
  }
}
