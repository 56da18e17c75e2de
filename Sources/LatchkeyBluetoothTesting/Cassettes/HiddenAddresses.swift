import LatchkeyBluetoothHost

/// Finds device addresses in bytes: in either order of their six bytes, and as text of twelve hexadecimal digits, with colons,
/// hyphens or nothing between pairs.
struct HiddenAddresses: Sendable {
  /// Six bytes as a number, in both orders.
  private var patterns: Set<UInt64> = []
  /// The numbers of the addresses.
  private var values: Set<UInt64> = []

  init(_ addresses: Set<BluetoothAddress>) {
    for address in addresses where address.value != 0 {
      values.insert(address.value)
      patterns.formUnion([address.value, address.value.byteSwapped >> 16])
    }
  }

  /// The bytes with zeros in place of addresses.
  func hiding(_ bytes: [UInt8]) -> [UInt8] {
    guard !values.isEmpty, bytes.count >= 6 else { return bytes }
    var hidden = bytes
    for start in 0...bytes.count - 6 {
      let number = bytes[start..<start + 6].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
      if patterns.contains(number) { for index in start..<start + 6 { hidden[index] = 0 } }
      guard let end = endOfText(bytes, from: start) else { continue }
      for index in start..<end where Character(UnicodeScalar(bytes[index])).isHexDigit {
        hidden[index] = UInt8(ascii: "0")
      }
    }
    return hidden
  }

  /// The end of an address as text; nil if none begins there.
  private func endOfText(_ bytes: [UInt8], from start: Int) -> Int? {
    let separators: [UInt8?] = [nil, UInt8(ascii: ":"), UInt8(ascii: "-")]
    for separator in separators {
      var number: UInt64 = 0
      var index = start
      var pairs = 0
      while pairs < 6, index + 2 <= bytes.count, let high = Self.digit(bytes[index]),
        let low = Self.digit(bytes[index + 1])
      {
        number = number << 8 | high << 4 | low
        index += 2
        pairs += 1
        guard pairs < 6, let separator else { continue }
        guard index < bytes.count, bytes[index] == separator else { break }
        index += 1
      }
      if pairs == 6, values.contains(number) { return index }
    }
    return nil
  }

  private static func digit(_ byte: UInt8) -> UInt64? {
    Character(UnicodeScalar(byte)).hexDigitValue.map { UInt64($0) }
  }
}
