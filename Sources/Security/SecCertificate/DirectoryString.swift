import LatchkeyByteCoding
import SwiftASN1

/// Converts a name's value (an X.520 DirectoryString or a similar type) to text, by the rules of SecCertificate.c.
enum DirectoryString {
  /// The text of `value`, in hexadecimal if it is not a string or not valid in its encoding.
  static func text(_ value: ASN1Node) -> String {
    guard case .primitive(let content) = value.content else { return hexadecimal(value.encodedBytes) }
    let text: String? =
      switch value.identifier {
      case .printableString, .ia5String: ascii(withoutTrailingZero(content))
      // Apple decodes a UniversalString as UTF-8, too.
      case .utf8String, .generalString, .universalString:
        String(validating: withoutTrailingZero(content), as: UTF8.self)
      case .teletexString, .videotexString, .visibleString: latin1(withoutTrailingZero(content))
      case .bmpString: utf16(content)
      default: nil
      }
    return text ?? hexadecimal(content)
  }

  /// Drops the terminating zero of a C string, which some issuers write.
  private static func withoutTrailingZero(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    bytes.last == 0 ? bytes.dropLast() : bytes
  }

  private static func ascii(_ bytes: ArraySlice<UInt8>) -> String? {
    bytes.allSatisfy { $0 < 0x80 } ? String(decoding: bytes, as: UTF8.self) : nil
  }

  private static func latin1(_ bytes: ArraySlice<UInt8>) -> String {
    var text = ""
    text.unicodeScalars.append(contentsOf: bytes.lazy.map { Unicode.Scalar($0) })
    return text
  }

  /// Decodes UTF-16, big-endian unless a byte order mark says otherwise.
  private static func utf16(_ bytes: ArraySlice<UInt8>) -> String? {
    guard bytes.count.isMultiple(of: 2) else { return nil }
    var reader = ByteReader(Array(bytes))
    var units: [UInt16] = []
    for _ in 0..<bytes.count / 2 {
      guard let unit = try? reader.uint16BigEndian("unit of a BMPString") else { return nil }
      units.append(unit)
    }
    if units.first == 0xFFFE { units = units.map(\.byteSwapped) }
    if units.first == 0xFEFF { units.removeFirst() }
    return String(validating: units, as: UTF16.self)
  }

  private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
    bytes.map { Hexadecimal.encode([$0]).uppercased() }.joined(separator: " ")
  }
}
