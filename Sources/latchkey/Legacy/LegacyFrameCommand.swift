import ArgumentParser
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyProvisioningProtocol

/// `latchkey legacy frame`: a payload with its header.
struct LegacyFrameCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "frame",
    abstract: "Put a header before a public key or a ciphertext; print the frame, or the values it is cut into.",
    discussion: "With --json: frame (type, frame), then value (value) for each with --value-length, done.",
    examples: ["latchkey legacy frame --type app-key --value-length 20 @public.hex"],
    statuses: [.badData])

  @Option(help: "What the payload is.") var type: LegacyFrameTypeName
  @Option(help: "Cut the frame into values of at most this many bytes, one a line: ATT_MTU - 3, 512 at most.")
  var valueLength: Int?
  @Argument(help: "The payload: 96 digits (or 98 with 04) for a key, else a ciphertext. Standard input if left out.")
  var payload: String = "-"
  @OptionGroup var output: LegacyOutputOptions

  func validate() throws {
    guard let valueLength else { return }
    guard (1...512).contains(valueLength) else { throw ValidationError("a value has 1 to 512 bytes") }
  }

  func run() throws {
    try output.print { lines in
      let frame = try frame()
      guard let valueLength else {
        lines.add(
          Hexadecimal.encode(frame.encoded), "frame",
          ["type": .text(type.rawValue), "frame": .text(Hexadecimal.encode(frame.encoded))])
        return
      }
      for value in LegacyFrame.values(of: frame.encoded, maximumLength: valueLength) {
        lines.add(Hexadecimal.encode(value), "value", ["value": .text(Hexadecimal.encode(value))])
      }
    }
  }

  private func frame() throws(CommandFailure) -> LegacyFrame {
    let bytes = type.type.isKey ? try LegacyInput.publicKey(payload).bytes : try LegacyInput.bytes(payload, "payload")
    do {
      return try LegacyFrame(type: type.type, payload: bytes)
    } catch {
      throw CommandFailure(.badData, error.explanation)
    }
  }
}

/// A frame's type as the commands name it.
enum LegacyFrameTypeName: String, ExpressibleByArgument, CaseIterable {
  case appKey = "app-key"
  case deviceKey = "device-key"
  case appData = "app-data"
  case deviceData = "device-data"

  init(_ type: LegacyFrameType) {
    self =
      switch type {
      case .appKey: .appKey
      case .deviceKey: .deviceKey
      case .appData: .appData
      case .deviceData: .deviceData
      }
  }

  var type: LegacyFrameType {
    switch self {
    case .appKey: .appKey
    case .deviceKey: .deviceKey
    case .appData: .appData
    case .deviceData: .deviceData
    }
  }
}

extension LegacyFrameError {
  /// What is wrong, for people.
  var explanation: String {
    switch self {
    case .unknownType(let type): "a frame starts with \(Hexadecimal.encode([type])), which is no type"
    case .keyLength(let length): "a key frame has \(length) bytes instead of 48"
    case .ciphertextLength(let length): "a data frame has \(length) bytes, not a positive multiple of 16"
    case .tooLong(let length, let maximum): "a frame has \(length) bytes, more than \(maximum)"
    }
  }
}
