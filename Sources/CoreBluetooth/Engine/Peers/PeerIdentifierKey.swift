import Foundation
import LatchkeyBluetoothHost

/// Makes the identifiers under which apps know peers: stable on this host, different on every other, and without
/// information about the address.
///
/// They are computed, not drawn and stored, since a street full of phones shows thousands of addresses an hour.
struct PeerIdentifierKey: Sendable {
  let halves: (UInt64, UInt64)

  /// The key of virtual radios. It is the same everywhere, so that the output of tests and demonstrations is
  /// reproducible.
  static let virtual = PeerIdentifierKey(halves: (0, 0))

  static func random() -> PeerIdentifierKey {
    var source = SystemRandomNumberGenerator()
    return PeerIdentifierKey(halves: (source.next(), source.next()))
  }

  func identifier(of address: BluetoothAddress) -> UUID {
    // Six bytes of address, one of its kind, and one that distinguishes the two halves of the identifier.
    let message = address.value | UInt64(address.kind.rawValue) << 48
    let high = SipHash.hash(message, byteCount: 7, key: halves)
    let low = SipHash.hash(message | 1 << 55, byteCount: 7, key: halves)
    // Version 4, variant 1 (RFC 9562 5.4), since the bits look random.
    return UUID(
      high: high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000, low: low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
  }
}

extension UUID {
  fileprivate init(high: UInt64, low: UInt64) {
    func byte(_ half: UInt64, _ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: half >> (56 - 8 * index)) }
    self.init(
      uuid: (
        byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5), byte(high, 6),
        byte(high, 7), byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3), byte(low, 4), byte(low, 5),
        byte(low, 6), byte(low, 7)
      ))
  }
}
