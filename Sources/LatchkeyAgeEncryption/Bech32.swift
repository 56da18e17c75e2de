/// Bech32 (BIP 173) without its length limit, as in age's keys (c2sp.org/age, "Conventions").
enum Bech32 {
  private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
  private static let generator: [UInt32] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3]
  private static let checksumLength = 6

  /// Encodes `bytes` with a human-readable part in lowercase.
  static func encode(_ bytes: [UInt8], humanReadablePart part: String) -> String {
    let values = regroup(bytes, from: 8, to: 5, pads: true) ?? []
    let checked = polynomial(expanded(Array(part.utf8)) + values + [UInt8](repeating: 0, count: checksumLength)) ^ 1
    let checksum = (0..<checksumLength).map { UInt8(truncatingIfNeeded: checked >> UInt32(5 * (5 - $0)) & 31) }
    return part + "1" + String(decoding: (values + checksum).map { alphabet[Int($0)] }, as: UTF8.self)
  }

  /// Decodes the human-readable part, in lowercase, and the bytes; nil for any text that ``encode(_:humanReadablePart:)`` does
  /// not produce, in lowercase or uppercase.
  static func decode(_ text: String) -> (humanReadablePart: String, bytes: [UInt8])? {
    var letters = Array(text.utf8)
    guard letters.allSatisfy({ (33...126).contains($0) }) else { return nil }
    let hasLower = letters.contains { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    let hasUpper = letters.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    guard !(hasLower && hasUpper) else { return nil }
    if hasUpper {
      letters = letters.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }
    guard let separator = letters.lastIndex(of: UInt8(ascii: "1")), separator >= 1,
      letters.count - separator - 1 >= checksumLength
    else { return nil }
    let part = Array(letters[..<separator])
    var values: [UInt8] = []
    for letter in letters[(separator + 1)...] {
      guard let value = alphabet.firstIndex(of: letter) else { return nil }
      values.append(UInt8(truncatingIfNeeded: value))
    }
    guard polynomial(expanded(part) + values) == 1,
      let bytes = regroup(Array(values.dropLast(checksumLength)), from: 5, to: 8, pads: false)
    else { return nil }
    return (String(decoding: part, as: UTF8.self), bytes)
  }

  private static func expanded(_ part: [UInt8]) -> [UInt8] { part.map { $0 >> 5 } + [0] + part.map { $0 & 31 } }

  private static func polynomial(_ values: [UInt8]) -> UInt32 {
    var sum: UInt32 = 1
    for value in values {
      let top = sum >> 25
      sum = (sum & 0x1ff_ffff) << 5 ^ UInt32(value)
      for (bit, term) in generator.enumerated() where top >> UInt32(bit) & 1 == 1 { sum ^= term }
    }
    return sum
  }

  /// Regroups the bits to another group size; nil if the padding is not minimal, or not zero.
  private static func regroup(_ values: [UInt8], from: UInt32, to: UInt32, pads: Bool) -> [UInt8]? {
    var groups: [UInt8] = []
    groups.reserveCapacity(values.count * Int(from) / Int(to) + 1)
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for value in values {
      bits = (bits << from | UInt32(value)) & 0xFFF
      count += from
      while count >= to {
        count -= to
        groups.append(UInt8(truncatingIfNeeded: bits >> count & (1 << to - 1)))
      }
    }
    if pads {
      if count > 0 { groups.append(UInt8(truncatingIfNeeded: bits << (to - count) & (1 << to - 1))) }
    } else if count >= from || bits & (1 << count - 1) != 0 {
      return nil
    }
    return groups
  }
}
