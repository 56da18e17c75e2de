import ArgumentParser
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyProvisioningProtocol

/// `latchkey legacy parse`: the frames in a stream.
struct LegacyParse: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "parse",
    abstract: "Find the frames in a stream; print the type, length and payload of each, one a line.",
    discussion: """
      With --key, what data frames decrypt to follows, as a JSON text, or `not UTF-8`. After a key that is no point of the \
      curve stands `not on the curve`. A frame that is none, or cut short, ends with 65, behind the good ones. With --json: frame (type, length, \
      payload; onCurve for keys; text for data with --key), done.
      """,
    examples: ["latchkey legacy parse --key @key.hex @stream.hex"],
    statuses: [.badData])

  @Option(help: "Decrypt data frames with this message key: 48 digits.") var key: String?
  @Option(help: "Refuse frames of more bytes than this, the header included.") var maximum = LegacyFrame.greatestLength
  @Argument(help: "The stream. Standard input if left out.") var stream: String = "-"
  @OptionGroup var output: LegacyOutputOptions

  func validate() throws {
    guard key != "-" || stream != "-" else {
      throw ValidationError("standard input is the stream's, so the key cannot come from it")
    }
    guard (51...LegacyFrame.greatestLength).contains(maximum) else {
      throw ValidationError("a maximum is 51 to \(LegacyFrame.greatestLength) bytes")
    }
  }

  func run() throws {
    try output.print(untilFailure: true) { lines in
      let messageKey: LegacyMessageKey? = if let key { try LegacyInput.messageKey(key) } else { nil }
      try forEachFrame { Self.add($0, messageKey, to: &lines) }
    }
  }

  private func forEachFrame(_ body: (LegacyFrame) -> Void) throws(CommandFailure) {
    var reader = ByteReader(try LegacyInput.bytes(stream, "stream"))
    var parser = LegacyFrameParser(maximumFrameLength: maximum)
    do {
      while let frame = try parser.next(from: &reader) { body(frame) }
    } catch {
      throw CommandFailure(.badData, error.explanation)
    }
    guard !parser.isWithinFrame else { throw CommandFailure(.badData, "the stream ends within a frame") }
  }

  private static func add(_ frame: LegacyFrame, _ key: LegacyMessageKey?, to lines: inout LegacyOutputOptions.Lines) {
    let payload = Hexadecimal.encode(frame.payload)
    let name = LegacyFrameTypeName(frame.type).rawValue
    let line = "\(name) \(frame.payload.count) \(payload)"
    let type = JSONLine.Value.text(name)
    let length = JSONLine.Value.integer(frame.payload.count)
    if frame.type.isKey {
      let onCurve = (try? Secp192k1.PublicKey(bytes: frame.payload)) != nil
      lines.add(
        onCurve ? line : "\(line) not on the curve", "frame",
        ["type": type, "length": length, "payload": .text(payload), "onCurve": .boolean(onCurve)])
    } else if let key {
      let text = (try? key.decrypt(frame.payload))?.text.map { JSONLine.Value.text($0) } ?? .null
      let shown = if case .null = text { "not UTF-8" } else { text.encoded }
      lines.add(
        "\(line) \(shown)", "frame", ["type": type, "length": length, "payload": .text(payload), "text": text])
    } else {
      lines.add(line, "frame", ["type": type, "length": length, "payload": .text(payload)])
    }
  }
}
