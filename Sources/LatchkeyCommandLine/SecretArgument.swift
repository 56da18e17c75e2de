import Foundation
import LatchkeyByteCoding
import LatchkeyKeychainModel
import LatchkeyKeychainStore

/// A secret that a user gives: by a prompt, in a file, on standard input; or on the command line, with a warning.
package enum SecretArgument {
  /// The longest secret that is accepted, in bytes.
  private static let limit = 64 * 1024

  /// The secret that `argument` stands for: `-` standard input, `@FILE` a file, each without the newline at its end; without an argument
  /// the user is asked.
  package static func read(_ argument: String?, option: String, prompt: String) throws(CommandFailure) -> String {
    switch argument {
    case nil: return try text(ask(prompt, option: option), option: option)
    case "-"?: return try text(try StandardStreams.read(atMost: limit), option: option)
    case let path? where path.hasPrefix("@"): return try text(file(String(path.dropFirst())), option: option)
    case let value?:
      StandardStreams.reportError(
        "\(option) on the command line is visible to other users of this machine: use @FILE, - or the prompt")
      return value
    }
  }

  /// The same for a secret of any bytes. Bytes that are not text are used to the last one, newline or not. With `retype` the user
  /// is asked twice.
  package static func readBytes(
    _ argument: String?, option: String, prompt: String, retype: String? = nil
  ) throws(CommandFailure) -> [UInt8] {
    switch argument {
    case nil:
      var first = try ask(prompt, option: option)
      guard let retype else { return first }
      do throws(CommandFailure) {
        var second = try ask(retype, option: option)
        defer { second.wipe() }
        guard constantTimeEquals(first, second) else {
          throw CommandFailure(.usage, "\(option): what was typed twice is not the same: start again")
        }
        return first
      } catch {
        first.wipe()
        throw error
      }
    case "-"?: return withoutNewline(try StandardStreams.read(atMost: limit))
    case let path? where path.hasPrefix("@"): return withoutNewline(try file(String(path.dropFirst())))
    case let value?: return Array(try read(value, option: option, prompt: prompt).utf8)
    }
  }

  /// The text that `argument` stands for, where a value on the command line needs no warning.
  package static func readText(_ argument: String, option: String) throws(CommandFailure) -> String {
    argument == "-" || argument.hasPrefix("@") ? try read(argument, option: option, prompt: "") : argument
  }

  private static func ask(_ prompt: String, option: String) throws(CommandFailure) -> [UInt8] {
    let absence = "\(option) is missing: give @FILE, or - for standard input"
    guard TerminalQuestion.isPossible else { throw CommandFailure(.usage, absence) }
    do throws(PresenceError) {
      return try TerminalQuestion.ask(PresenceQuestion(.service(prompt, isSecret: true), reason: ""))
    } catch {
      throw TerminalQuestion.failure(error, option: option, absence: absence)
    }
  }

  private static func file(_ path: String) throws(CommandFailure) -> [UInt8] {
    do {
      let bytes = try FileHandle(forReadingFrom: URL(fileURLWithPath: path)).read(upToCount: limit + 1) ?? Data()
      guard bytes.count <= limit else { throw CommandFailure(.badData, "\(path) has more than \(limit) bytes") }
      return Array(bytes)
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure(.inputOutput, "\(path) cannot be read")
    }
  }

  private static func text(_ bytes: [UInt8], option: String) throws(CommandFailure) -> String {
    guard let text = String(validating: trimmed(bytes), as: UTF8.self) else {
      throw CommandFailure(.badData, "\(option) is not UTF-8")
    }
    return text
  }

  /// `bytes` without the newline at their end if they are UTF-8: a key of random bytes may end in 0x0A.
  private static func withoutNewline(_ bytes: [UInt8]) -> [UInt8] {
    String(validating: bytes, as: UTF8.self) == nil ? bytes : Array(trimmed(bytes))
  }

  private static func trimmed(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    var bytes = bytes[...]
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    return bytes
  }
}
