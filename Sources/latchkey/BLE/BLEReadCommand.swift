import ArgumentParser
import LatchkeyCommandLine

/// `latchkey ble read`: values of a device.
struct BLEReadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Read characteristics or descriptors of a device.",
    discussion: """
      Connects, reads one after the other, and disconnects. A value is printed as hexadecimal digits, and as text in quotes if it is \
      UTF-8. With --as the value alone is printed, in that form, so that a script can use it: text has escapes for what steers a \
      terminal, raw is the bytes as they are with nothing behind them, and of a number that occurs several times there are several.

      \(ConnectionOptions.discussion)

      With --json: connected (identifier, name), value (path, service, characteristic, descriptor, handle, name, value, text), \
      \(ConnectionOptions.events), done or error.
      """,
    examples: [
      "latchkey ble read --hci unix-client:/tmp/radio Lamp battery-level --as uint8",
      "latchkey ble read Lamp 180A/manufacturer-name-string 180A/model-number-string --json",
    ],
    statuses: [.badData, .unavailable, .notPermitted])

  @Argument(help: "The device: its name or its identifier.") var device: String
  @Argument(help: "What to read.") var characteristic: [String]
  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "Print the value alone, as \(ValueFormat.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "form"))
  var format: ValueFormat?
  @OptionGroup var connection: ConnectionOptions

  func validate() throws {
    _ = try ConnectionOptions.paths(characteristic)
    guard format != .raw || !connection.output.json else { throw ValidationError("--as raw is no JSON") }
  }

  func run() async throws {
    let output = connection.output
    try await output.run {
      let paths = try ConnectionOptions.paths(characteristic)
      try await DeviceTask(device, connection, paths: paths).run { session in
        for path in paths {
          let attribute = try session.attribute(at: path)
          let value = try await session.read(path)
          if format == .raw {
            try StandardStreams.write(value)
            continue
          }
          let line = try format?.words(value) ?? "\(attribute.label(path.text)): \(attribute.words(value))"
          output.emit(line, "value", fields: attribute.fields(path.text, value))
        }
      }
    }
  }
}
