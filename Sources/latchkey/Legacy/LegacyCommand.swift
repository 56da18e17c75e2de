import ArgumentParser
import LatchkeyCommandLine

/// `latchkey legacy`: the legacy protocol's pieces, on hexadecimal text.
struct LegacyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "legacy",
    abstract: "The documented provisioning protocol's pieces, for debugging a device in the field.",
    discussion: """
      The protocol agrees on a key over secp192k1 and encrypts with AES-192-CBC. It authenticates nobody: use it only \
      with devices that know nothing else. Hexadecimal digits are accepted in either case, with spaces. A value may be \
      @FILE, or - for standard input. Bad input ends with 65 and prints nothing.
      """,
    examples: ["latchkey legacy keygen", "latchkey legacy parse @stream.hex"],
    statuses: [.badData],
    subcommands: [
      LegacyKeygen.self, LegacyECDH.self, LegacyEncrypt.self, LegacyDecrypt.self, LegacyFrameCommand.self,
      LegacyParse.self,
    ])
}

/// The options of all `legacy` commands, and their output.
struct LegacyOutputOptions: ParsableArguments {
  @Flag(help: "Print one JSON object a line.") var json = false

  /// Runs `body` and prints its lines all at once, so that a failure prints none; or, `untilFailure`, those before it.
  func print(untilFailure: Bool = false, _ body: (inout Lines) throws -> Void) throws {
    var lines = Lines()
    do {
      try body(&lines)
    } catch let failure as CommandFailure {
      if untilFailure { for line in json ? lines.json : lines.plain { try StandardStreams.writeLine(line) } }
      guard json else { throw failure }
      let code = "\(failure.status)"
      try StandardStreams.writeLine(
        JSONLine("error", ["code": .text(code), "message": .text(failure.message)]).text)
      throw failure
    }
    let chosen = json ? lines.json + [JSONLine("done").text] : lines.plain
    for line in chosen { try StandardStreams.writeLine(line) }
  }

  /// The lines of both forms.
  struct Lines {
    fileprivate var plain: [String] = []
    fileprivate var json: [String] = []

    mutating func add(_ line: String, _ event: String, _ fields: KeyValuePairs<String, JSONLine.Value>) {
      plain.append(line)
      json.append(JSONLine(event, fields).text)
    }
  }
}
