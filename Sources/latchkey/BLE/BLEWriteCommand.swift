import ArgumentParser
import CoreBluetooth
import LatchkeyCommandLine

/// `latchkey ble write`: a value of a device.
struct BLEWriteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "write",
    abstract: "Write a characteristic or descriptor of a device.",
    discussion: """
      Connects, writes, waits for the device's answer, and disconnects. VALUE is hex:DIGITS, text:TEXT, or other text as it is; with \
      --hex it is digits, with --text a text, whatever it begins with. - is standard input and --file a file, which other users of \
      this machine cannot see: with --hex digits, with --text a text without the newline at its end, else the bytes as they are.

      With --without-response the device does not answer, and may drop the value without a word.

      \(ConnectionOptions.discussion)

      With --json: connected (identifier, name), written or sent (path, service, characteristic, descriptor, handle, name, length), \
      \(ConnectionOptions.events), done or error.
      """,
    examples: [
      "latchkey ble write --hci unix-client:/tmp/radio Lamp FFF1 hex:00ff",
      "latchkey ble write Lamp FFF0/FFF1 --file picture.bin",
      "latchkey ble write Lamp FFF1 on --text --without-response",
    ],
    statuses: [.badData, .unavailable, .notPermitted])

  @Argument(help: "The device: its name or its identifier.") var device: String
  @Argument(help: "What to write.") var characteristic: String
  @Argument(help: "The value; - is standard input.") var value: String?
  @Option(help: "Write what is in this file.") var file: String?
  @Flag(help: "The value is hexadecimal digits.") var hex = false
  @Flag(help: "The value is text.") var text = false
  @Flag(help: "Do not wait for an answer.") var withoutResponse = false
  @OptionGroup var connection: ConnectionOptions

  func validate() throws {
    let paths = try ConnectionOptions.paths([characteristic])
    guard (value == nil) == (file != nil) else {
      throw ValidationError("give the value, - for standard input, or --file, and one of them")
    }
    guard !(hex && text) else { throw ValidationError("give --hex or --text, and not both") }
    guard !(connection.pair && value == "-") else {
      throw ValidationError("with --pair the answers come from standard input: give the value by --file")
    }
    guard !(withoutResponse && paths[0].descriptor != nil) else {
      throw ValidationError("a descriptor is written with a response")
    }
  }

  func run() async throws {
    let output = connection.output
    try await output.run {
      let paths = try ConnectionOptions.paths([characteristic])
      let form: TypedValue.Form? = hex ? .hex : text ? .text : nil
      let bytes = try TypedValue.bytes(value, file: file, form: form)
      try await DeviceTask(device, connection, paths: paths).run { session in
        let attribute = try session.attribute(at: paths[0])
        if withoutResponse {
          guard try session.properties(at: paths[0]).contains(.writeWithoutResponse) else {
            throw CommandFailure(
              .notPermitted, code: "notOffered",
              "\(attribute.label(paths[0].text)) is not written without a response: leave --without-response out")
          }
          try await session.command(bytes, to: paths[0])
          // The link would end before the value has left: an answer to anything says that it has.
          await session.passBehind(paths[0])
        } else {
          try await session.write(bytes, to: paths[0])
        }
        let length: EventFields = [("length", .integer(bytes.count))]
        output.emit(
          nil, withoutResponse ? "sent" : "written", fields: attribute.fields(paths[0].text) + length)
      }
    }
  }
}
