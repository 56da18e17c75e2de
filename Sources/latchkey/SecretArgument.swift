import Foundation

/// A secret that a user gives: by a prompt, in a file, on standard input; or on the command line, with a warning.
enum SecretArgument {
  /// The longest secret that is taken, in bytes.
  private static let limit = 64 * 1024

  /// What `argument` stands for: `-` standard input, `@FILE` a file, each without the newline at its end; without an argument
  /// the user is asked.
  static func read(_ argument: String?, option: String, prompt: String) throws(CommandFailure) -> String {
    switch argument {
    case nil: return try ask(prompt, option: option)
    case "-"?: return try text(try StandardStreams.read(atMost: limit), option: option)
    case let path? where path.hasPrefix("@"): return try text(file(String(path.dropFirst())), option: option)
    case let value?:
      StandardStreams.complain(
        "\(option) on the command line is seen by other users of this machine: @FILE, - or a prompt is not")
      return value
    }
  }

  /// The same for a secret of any bytes. What is no text is taken to its last byte, newline or not. With `retype` the user
  /// is asked twice.
  static func readBytes(
    _ argument: String?, option: String, prompt: String, retype: String? = nil
  ) throws(CommandFailure) -> [UInt8] {
    switch argument {
    case nil:
      let first = try ask(prompt, option: option)
      if let retype {
        guard try ask(retype, option: option) == first else {
          throw CommandFailure(.usage, "\(option): what was typed twice is not the same: start again")
        }
      }
      return Array(first.utf8)
    case "-"?: return withoutNewline(try StandardStreams.read(atMost: limit))
    case let path? where path.hasPrefix("@"): return withoutNewline(try file(String(path.dropFirst())))
    case let value?: return Array(try read(value, option: option, prompt: prompt).utf8)
    }
  }

  /// What `argument` stands for, where a value on the command line needs no warning.
  static func readText(_ argument: String, option: String) throws(CommandFailure) -> String {
    argument == "-" || argument.hasPrefix("@") ? try read(argument, option: option, prompt: "") : argument
  }

  private static func ask(_ prompt: String, option: String) throws(CommandFailure) -> String {
    guard isatty(STDIN_FILENO) == 1 else {
      throw CommandFailure(.usage, "\(option) is missing: give @FILE, or - for standard input")
    }
    var settings = termios()
    tcgetattr(STDIN_FILENO, &settings)
    var silent = settings
    // ^C comes as a character, so that the settings are put back before anything ends.
    silent.c_lflag &= ~tcflag_t(ECHO | ISIG)
    // Before the prompt: whoever answers a prompt at once is neither echoed nor flushed away.
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
    try? FileHandle.standardError.write(contentsOf: Data(prompt.utf8))
    let line = readLine(strippingNewline: true)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    StandardStreams.remark("")
    guard let line, !line.contains("\u{3}") else { throw CommandFailure(.usage, "\(option): nothing was typed") }
    return line
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
