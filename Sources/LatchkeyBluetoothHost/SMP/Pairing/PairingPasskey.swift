/// Six decimal digits that a user enters, or compares on two devices (Core 6.0 Vol 3 Part H 2.3.5.3, 2.2.9).
package struct PairingPasskey: Hashable, Sendable {
  /// 0...999,999.
  package let value: UInt32

  /// A passkey; nil for a number of more than six digits.
  package init?(_ value: UInt32) {
    guard value <= 999_999 else { return nil }
    self.value = value
  }

  /// The digits to be compared, of the result of g2.
  init(comparing value: UInt32) { self.value = value % 1_000_000 }

  /// A passkey of four random bytes, each with the same probability; nil for bytes that would favor some, about one in
  /// 14,000.
  init?(random bytes: [UInt8]) {
    guard bytes.count == 4 else { return nil }
    let number = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let equal = UInt32.max / 1_000_000 * 1_000_000
    guard number < equal else { return nil }
    value = number % 1_000_000
  }

  /// Six digits, with leading zeros.
  package var digits: String {
    let text = String(value)
    return String(repeating: "0", count: 6 - text.count) + text
  }

  /// The bit that a round of Secure Connections commits to, 0..<20, as f4 receives it (2.3.5.6.3).
  func committedBit(_ round: Int) -> UInt8 { 0x80 | UInt8(truncatingIfNeeded: value >> UInt32(round) & 1) }
}

extension PairingPasskey: CustomStringConvertible, CustomReflectable {
  /// No digits: `digits` is for the user's display alone.
  package var description: String { "a passkey" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
