import LatchkeyTestSupport
import Foundation
import Testing

/// A session as a user could have typed it: one text file.
///
/// A line of `$ latchkey ` starts a step, with its arguments; single quotes work as in a shell. Then, each optional: `< ` the
/// text on standard input (`\n`, `\0`, `\xHH` and `\\` stand for bytes), `! ` a line on standard error, `? ` the exit status,
/// 0 if left out. All other lines are standard output, where a `\` at the end says that the line ends without a newline, and
/// a line of `\n` alone is a blank one. Blank lines and lines of `#` are for the reader.
///
/// `$ export NAME=VALUE` and `$ unset NAME` change the environment of the steps that follow; any other `$ ` line is for the
/// shell. A transcript whose first line begins with `# Long: ` runs where `LATCHKEY_SOAK` is set. All run in a folder of the transcript's own, which is `FOLDER` where it is printed (`TranscriptStage`).
struct Transcript: Sendable, CustomTestStringConvertible {
  /// A typed command.
  enum Command: Sendable {
    case latchkey([String])
    case shell(String)
    case export(name: String, value: String?)
  }

  struct Step: Sendable {
    var command: Command
    var input: [UInt8] = []
    var output = ""
    var errors = ""
    var status: Int32 = 0
  }

  let name: String
  let steps: [Step]
  var testDescription: String { name }

  /// Whether it runs only where `LATCHKEY_SOAK` is set.
  let isLong: Bool

  static let all: [Transcript] = load()
  /// Those that run.
  static let played = all.filter { !$0.isLong || isSoak }

  private static func load() -> [Transcript] {
    let folder = Bundle.module.bundleURL.appendingPathComponent("Transcripts")
    do {
      return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        .sorted { $0.path < $1.path }
        .map { Transcript(name: $0.lastPathComponent, text: try String(contentsOf: $0, encoding: .utf8)) }
    } catch {
      fatalError("the transcripts cannot be read: \(error)")
    }
  }

  private init(name: String, text: String) {
    isLong = text.hasPrefix("# Long: ")
    var steps: [Step] = []
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      if line.hasPrefix("$ ") {
        steps.append(Step(command: Self.command(line.dropFirst(2))))
        continue
      }
      guard let last = steps.indices.last else { continue }
      switch line.prefix(2) {
      case "< ": steps[last].input += Self.bytes(line.dropFirst(2))
      case "! ": steps[last].errors += line.dropFirst(2) + "\n"
      case "\\n" where line.count == 2: steps[last].output += "\n"
      case "? ": steps[last].status = Int32(line.dropFirst(2)) ?? -1
      default: steps[last].output += line.hasSuffix("\\") ? String(line.dropLast()) : line + "\n"
      }
    }
    self.name = name
    self.steps = steps
  }

  private static func command(_ line: Substring) -> Command {
    let words = words(line)
    switch words.first {
    case "latchkey": return .latchkey(Array(words.dropFirst()))
    case "unset": return .export(name: words[1], value: nil)
    case "export":
      let halves = words[1].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return .export(name: String(halves[0]), value: String(halves[1]))
    default: return .shell(String(line))
    }
  }

  private static func words(_ line: Substring) -> [String] {
    var words: [String] = []
    var word: String?
    var isQuoted = false
    for character in line {
      if character == "'" {
        isQuoted.toggle()
        word = word ?? ""
      } else if character == " ", !isQuoted {
        if let word { words.append(word) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    if let word { words.append(word) }
    return words
  }

  private static func bytes(_ text: Substring) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = text.utf8
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
        bytes.append(byte)
        continue
      }
      switch escape {
      case UInt8(ascii: "n"): bytes.append(0x0A)
      case UInt8(ascii: "0"): bytes.append(0x00)
      case UInt8(ascii: "x"):
        bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
        rest = rest.dropFirst(2)
      default: bytes.append(escape)
      }
    }
    return bytes
  }
}
