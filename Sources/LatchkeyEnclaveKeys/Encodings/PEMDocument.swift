import LatchkeyByteCoding

/// A block of text between `-----BEGIN` and `-----END` lines (RFC 7468).
package struct PEMDocument {
  /// The label of both lines: "PUBLIC KEY".
  package var label: String
  /// The enclosed bytes.
  package var bytes: [UInt8]

  /// The maximum length of a text with a key, in bytes.
  static let longest = 65_536

  /// Creates a block.
  package init(label: String, bytes: [UInt8]) {
    self.label = label
    self.bytes = bytes
  }

  /// Parses the blocks of a text, with any text before and between them, as OpenSSL does. Lines end with a line feed, a
  /// carriage return, or both; a block may contain white space.
  ///
  /// - Parameter longest: the maximum length of the text, in bytes.
  /// - Throws: `.malformed` for a block that does not end, ends under another label, or is not base64; `.unsupported` for a
  ///   block with a header that marks it as encrypted.
  package static func decode(_ text: String, longest: Int = PEMDocument.longest) throws(KeyError) -> [PEMDocument] {
    guard text.utf8.count <= longest else { throw .malformed("a text of more than \(longest) bytes is too long") }
    var blocks: [PEMDocument] = []
    var open: (label: Substring, base64: [UInt8])?
    defer { open?.base64.wipe() }
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.trimmed
      if let label = boundary(line, "-----BEGIN ") {
        guard open == nil else { throw .malformed("a block within a block of PEM") }
        var base64: [UInt8] = []
        // The array must not grow: growth would leave a copy of its first part.
        base64.reserveCapacity(text.utf8.count)
        open = (label, base64)
      } else if let label = boundary(line, "-----END ") {
        guard var block = open, block.label == label else { throw .malformed("a block of PEM ends that did not begin") }
        open = nil
        defer { block.base64.wipe() }
        blocks.append(PEMDocument(label: String(label), bytes: try bytes(base64: block.base64)))
      } else if open != nil {
        guard !line.contains(":") else {
          throw .unsupported(
            "a block of PEM with headers: write it as PKCS #8, not encrypted (openssl pkcs8 -topk8 -nocrypt)")
        }
        open?.base64.append(contentsOf: line.utf8.filter { $0 != 0x20 && $0 != 0x09 })
      }
    }
    guard open == nil else { throw .malformed("a block of PEM does not end") }
    return blocks
  }

  /// Reads the blocks with one label, such as certificates in a bundle. All other text is skipped, and other blocks.
  ///
  /// The caller limits the length of the text.
  ///
  /// - Returns: `contents` has the bytes of each block, nil for one that is not base64 or has no beginning. `isWhole` is false
  ///   if the last block does not end.
  package static func contents(of label: String, in text: String) -> (contents: [[UInt8]?], isWhole: Bool) {
    let (begin, end) = ("-----BEGIN \(label)-----", "-----END \(label)-----")
    var contents: [[UInt8]?] = []
    var base64: String?
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.trimmed
      if line == begin {
        base64 = ""
      } else if line == end {
        contents.append(base64.flatMap { try? Base64.decode($0) })
        base64 = nil
      } else {
        base64? += line
      }
    }
    return (contents, base64 == nil)
  }

  /// The block, in lines of 64 characters, with a line feed at its end.
  package var text: String {
    var encoded = encodedText
    defer { encoded.wipe() }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// The same as bytes, which the caller wipes: the array is allocated once.
  package var encodedText: [UInt8] {
    var base64 = Base64.encodeASCII(bytes.span)
    defer { base64.wipe() }
    let (begin, end) = (Array("-----BEGIN \(label)-----\n".utf8), Array("-----END \(label)-----\n".utf8))
    var text: [UInt8] = []
    text.reserveCapacity(begin.count + base64.count + (base64.count + 63) / 64 + end.count)
    text += begin
    for start in stride(from: 0, to: base64.count, by: 64) {
      text += base64[start..<min(start + 64, base64.count)]
      text.append(0x0A)
    }
    text += end
    return text
  }

  private static func boundary(_ line: Substring, _ start: String) -> Substring? {
    guard line.hasPrefix(start), line.hasSuffix("-----"), line.utf8.count > start.utf8.count + 5 else { return nil }
    return line.dropFirst(start.count).dropLast(5)
  }

  /// Decodes base64 without white space.
  static func bytes(base64: [UInt8]) throws(KeyError) -> [UInt8] {
    do throws(ByteCodingError) {
      return try Base64.decode(base64.span)
    } catch {
      throw .malformed("not base64")
    }
  }
}

extension Substring {
  /// The text without spaces and tabs at its ends.
  fileprivate var trimmed: Substring {
    var rest = self
    while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
    while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
    return rest
  }
}
