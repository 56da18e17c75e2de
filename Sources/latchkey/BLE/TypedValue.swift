import Foundation
import LatchkeyByteCoding
import LatchkeyCommandLine

/// A value that a user gives, as bytes.
enum TypedValue {
  /// The longest value of an attribute (Core 6.0 Vol 3 Part F 3.2.9).
  static let longest = 512

  /// The bytes of `hex:DIGITS`, `text:TEXT`, or other text as it is.
  static func bytes(of text: some StringProtocol) throws(CentralSession.Failure) -> [UInt8] {
    if text.hasPrefix("text:") { return Array(text.dropFirst(5).utf8) }
    guard text.hasPrefix("hex:") else { return Array(text.utf8) }
    return try digits(text.dropFirst(4))
  }

  /// The bytes that hexadecimal digits spell.
  static func digits(_ text: some StringProtocol) throws(CentralSession.Failure) -> [UInt8] {
    do {
      return try Hexadecimal.decode(text)
    } catch {
      throw CentralSession.Failure("the value is not hexadecimal: \(error)")
    }
  }

  /// What a value on the command line, in a file or on standard input is.
  enum Form: Sendable {
    case hex, text
  }

  /// The value that the command line gives: in itself, by `-` or by a file.
  ///
  /// - Throws: `badData` for one that is too long, or has not its form; `inputOutput` for one that cannot be read.
  static func bytes(_ value: String?, file: String?, form: Form?) throws(CommandFailure) -> [UInt8] {
    let isTyped = value != nil && value != "-"
    let given = isTyped ? Array((value ?? "").utf8) : try contents(of: file)
    let bytes: [UInt8]
    do throws(CentralSession.Failure) {
      bytes =
        switch form {
        case .hex?: try digits(String(decoding: given, as: UTF8.self).filter { !$0.isNewline })
        case .text?: isTyped ? given : withoutNewline(given)
        case nil: try isTyped ? self.bytes(of: value ?? "") : given
        }
    } catch {
      throw CommandFailure(.badData, error.message)
    }
    guard bytes.count <= longest else {
      throw CommandFailure(
        .badData, "the value has \(bytes.count) bytes: \(longest) are the most that an attribute has")
    }
    return bytes
  }

  /// The bytes of a file, or of standard input.
  private static func contents(of file: String?) throws(CommandFailure) -> [UInt8] {
    guard let file else { return try StandardStreams.read(atMost: limit) }
    do {
      return Array(try FileHandle(forReadingFrom: URL(fileURLWithPath: file)).read(upToCount: limit) ?? Data())
    } catch {
      throw CommandFailure(.inputOutput, "\(file) cannot be read")
    }
  }

  private static func withoutNewline(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    return bytes
  }

  /// More than any value has, of digits too: what is longer is refused by its length.
  private static let limit = 4096
}
