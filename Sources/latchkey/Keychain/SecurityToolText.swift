import Foundation
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyEnclaveKeys

/// Values as macOS's `security` prints them (Security-61901, SecurityTool/macOS, `keychain_utilities.c` and `keychain_find.c`),
/// for scripts that read its output.
enum SecurityToolText {
  /// Printable ASCII in quotes. Anything else, a backslash too, makes it `0x` and digits, followed by two spaces and the text
  /// with octal escapes, or by one space if nothing of it is printable.
  static func buffer(_ bytes: some Collection<UInt8>) -> String {
    var text = ""
    if !bytes.allSatisfy(isPlain) {
      text += "0x\(Hexadecimal.encode(Array(bytes)).uppercased()) "
      if bytes.contains(where: isPlain) { text += " " }
    }
    guard bytes.contains(where: isPlain) else { return text }
    text += "\""
    for byte in bytes {
      if isPlain(byte) {
        text.unicodeScalars.append(UnicodeScalar(byte))
      } else {
        let digits = String(byte, radix: 8)
        text += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
      }
    }
    return text + "\""
  }

  /// A number of 32 bits: its big-endian bytes, as above, so that a four-character code reads as one.
  static func word(_ number: UInt32) -> String {
    buffer([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) })
  }

  /// A password alone, as `-w` prints it: printable ASCII as it is, anything else as lower-case digits.
  static func password(_ bytes: [UInt8]) -> String {
    bytes.allSatisfy { (0x20...0x7E).contains($0) }
      ? String(decoding: bytes, as: UTF8.self) : Hexadecimal.encode(bytes)
  }

  /// A certificate in PEM (RFC 7468), without a line feed at its end.
  static func pem(certificate bytes: [UInt8]) -> String {
    String(PEMDocument(label: "CERTIFICATE", bytes: bytes).text.dropLast())
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\\")
  }
}

/// The moments of items, in seconds since 2001-01-01 00:00:00 UTC. A program may store any number: one outside of the
/// years 1 to 9999 has no text.
enum KeychainTime {
  private static let years = -63_114_076_800.0..<252_423_993_600.0

  /// As RFC 3339 has it: `2026-11-21T19:30:00Z`.
  static func text(_ seconds: Double) -> String? {
    years.contains(seconds) ? Date(timeIntervalSinceReferenceDate: seconds).ISO8601Format() : nil
  }

  /// As macOS's keychain has it: `20261121193000Z` and a zero byte.
  static func bytes(_ seconds: Double) -> [UInt8]? {
    text(seconds).map { Array($0.utf8.filter { !"-:T".utf8.contains($0) }) + [0] }
  }
}
