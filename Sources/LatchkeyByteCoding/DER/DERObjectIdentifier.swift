/// An object identifier, by the bytes of its content (X.690 8.19).
package struct DERObjectIdentifier: Hashable, Sendable {
  /// The bytes after tag and length.
  package let content: [UInt8]

  /// An identifier of these bytes, whatever they are.
  package init(content: [UInt8]) { self.content = content }

  /// An identifier of its numbers; the first is at most 2, and the second is below 40.
  package init(_ first: Int, _ second: Int, _ rest: Int...) {
    var content = [UInt8(truncatingIfNeeded: first * 40 + second)]
    for number in rest {
      var digits = [UInt8(truncatingIfNeeded: number & 0x7F)]
      var rest = number >> 7
      while rest > 0 {
        digits.insert(UInt8(truncatingIfNeeded: rest & 0x7F) | 0x80, at: 0)
        rest >>= 7
      }
      content += digits
    }
    self.content = content
  }

  /// Whether the bytes are numbers, each in as few bytes as it needs.
  var isDER: Bool {
    var isFirstOfNumber = true
    for byte in content {
      guard !isFirstOfNumber || byte != 0x80 else { return false }
      isFirstOfNumber = byte & 0x80 == 0
    }
    return isFirstOfNumber && !content.isEmpty
  }
}

extension DERObjectIdentifier: CustomStringConvertible {
  /// The numbers with dots between; for an identifier that is too long for that or ends within a number, how many bytes it has.
  package var description: String {
    guard let last = content.last, last < 0x80, content.count <= 32 else {
      return "an object identifier of \(content.count) bytes"
    }
    var numbers: [UInt64] = []
    var number: UInt64 = 0
    for byte in content {
      guard number < 1 << 56 else { return "an object identifier of \(content.count) bytes" }
      number = number << 7 | UInt64(byte & 0x7F)
      guard byte & 0x80 == 0 else { continue }
      // The first two numbers are in one (X.690 8.19.4).
      if numbers.isEmpty { numbers.append(min(2, number / 40)) }
      numbers.append(numbers.count == 1 ? number - 40 * numbers[0] : number)
      number = 0
    }
    return numbers.map(String.init).joined(separator: ".")
  }
}

extension BERReader {
  /// An OBJECT IDENTIFIER.
  package mutating func identifier(_ field: StaticString) throws(Failure) -> DERObjectIdentifier {
    let identifier = DERObjectIdentifier(content: try item(.objectIdentifier, field).bytes())
    guard !identifier.content.isEmpty else { throw Failure(BERError(.emptyObjectIdentifier, field)) }
    guard rules == .ber || identifier.isDER else { throw Failure(BERError(.malformedObjectIdentifier, field)) }
    return identifier
  }
}
