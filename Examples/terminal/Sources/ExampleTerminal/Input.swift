// What the examples' programs are told from outside: lines of standard input, and names of devices.

import Foundation

/// What standard input has next.
public enum InputLine {
  /// A line, without its end.
  case text(String)
  /// A line whose bytes are not UTF-8. `readLine` would put U+FFFD in their place, which a text may also hold.
  case notUTF8
  /// Nothing more.
  case end
}

/// Reads one line of standard input, and no byte of the next: what follows may be read elsewhere.
public func inputLine() -> InputLine {
  var bytes: [UInt8] = []
  while true {
    var byte: UInt8 = 0
    let count = read(STDIN_FILENO, &byte, 1)
    if count < 0, errno == EINTR { continue }
    guard count == 1 else {
      if bytes.isEmpty { return .end }
      break
    }
    if byte == UInt8(ascii: "\n") {
      if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
      break
    }
    bytes.append(byte)
  }
  return String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .notUTF8
}

/// The argument of this number as a device's name. One that cannot be advertised whole, so that nobody would find it, ends the
/// program with 64.
public func deviceName(argument index: Int) -> String {
  guard let bytes = CommandLine.unsafeArgv[index], let name = String(validatingCString: bytes) else {
    fail("the device's name is not UTF-8", 64)
  }
  // What one advertising payload of 31 bytes holds behind a structure's two (Core 6.0 Vol 3 Part C 11).
  guard (1...29).contains(name.utf8.count) else {
    fail("the device's name has \(name.utf8.count) bytes of UTF-8, not 1 to 29: no more can be advertised", 64)
  }
  guard !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
    fail("the device's name has a character that does not show, such as the end of a line", 64)
  }
  return name
}
