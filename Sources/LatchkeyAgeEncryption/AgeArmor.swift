import LatchkeyByteCoding

/// The ASCII armor of an age file (c2sp.org/age, "ASCII armor"): strict PEM with one label.
public enum AgeArmor {
  private static let begin = "-----BEGIN AGE ENCRYPTED FILE-----"
  private static let end = "-----END AGE ENCRYPTED FILE-----"
  private static let columns = 64

  /// Whether the bytes begin with the armor's first line, after optional white space.
  public static func isArmored(_ bytes: [UInt8]) -> Bool {
    bytes.drop { isSpace($0) }.starts(with: begin.utf8)
  }

  /// Encodes the file as lines of ASCII, the last with its line feed.
  public static func encode(_ file: [UInt8]) -> String {
    let text = Base64.encodeASCII(file.span)
    var lines: [UInt8] = []
    lines.reserveCapacity(text.count + text.count / columns + 1)
    for start in stride(from: 0, to: text.count, by: columns) {
      if start > 0 { lines.append(UInt8(ascii: "\n")) }
      lines += text[start..<min(start + columns, text.count)]
    }
    return begin + "\n" + String(decoding: lines, as: UTF8.self) + "\n" + end + "\n"
  }

  /// Decodes the file in the armor.
  ///
  /// - Throws: ``AgeError/malformedArmor(_:)``.
  public static func decode(_ bytes: [UInt8]) throws(AgeError) -> [UInt8] {
    var lines = bytes.drop { isSpace($0) }.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
    func text(_ line: ArraySlice<UInt8>) -> String {
      String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
    }
    guard let first = lines.popFirst(), text(first) == begin else { throw .malformedArmor("its first line is another") }
    while let last = lines.last, last.allSatisfy(isSpace) { lines.removeLast() }
    guard let last = lines.popLast() else { throw .malformedArmor("it has no end") }
    let ending = String(decoding: last, as: UTF8.self)
    guard ending.hasPrefix(end), ending.dropFirst(end.count).allSatisfy(\.isWhitespace) else {
      throw .malformedArmor("it has no end")
    }
    var encoded = ""
    for (index, line) in lines.map(text).enumerated() {
      let isLast = index == lines.count - 1
      guard line.utf8.count == columns || isLast && (1...columns).contains(line.utf8.count) else {
        throw .malformedArmor("line \(index + 2) is not of \(columns) characters")
      }
      encoded += line
    }
    guard let file = try? Base64.decode(encoded) else { throw .malformedArmor("it is no canonical Base64") }
    return file
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
