import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

@Suite("A key pair of Secure Connections") struct PairingKeyPairTests {
  private typealias Vectors = PairingCryptographyTests
  /// The order of P-256, n.
  private static let order = "ffffffff 00000000 ffffffff ffffffff bce6faad a7179e84 f3b9cac2 fc632551"
  /// Its prime, p.
  private static let prime = "ffffffff 00000001 00000000 00000000 00000000 ffffffff ffffffff ffffffff"

  private func pair(_ printed: String) throws -> PairingKeyPair {
    try #require(PairingKeyPair(privateKey: Vectors.wire(printed)))
  }

  @Test("Refuses candidates that are zero, n or more, so that the caller draws again") func outOfRange() throws {
    for printed in [
      String(repeating: "0", count: 64), Self.order, Self.order.replacingOccurrences(last: "1", with: "2"),
      String(repeating: "f", count: 64),
    ] {
      let candidate = try Vectors.wire(printed)
      #expect(PairingKeyPair(privateKey: candidate) == nil)
    }
    #expect(throws: Never.self) { try pair(Self.order.replacingOccurrences(last: "1", with: "0")) }
    #expect(throws: Never.self) { try pair(String(repeating: "0", count: 63) + "1") }
  }

  @Test("Refuses candidates of another length", arguments: [0, 1, 31, 33, 64]) func lengths(_ count: Int) {
    #expect(PairingKeyPair(privateKey: [UInt8](repeating: 1, count: count)) == nil)
  }

  @Test("Refuses points that are not on the curve, and coordinates that are not below p") func invalidPoints() throws {
    let own = try pair(Vectors.privateB)
    let (x, y) = (try Vectors.wire(Vectors.publicAX), try Vectors.wire(Vectors.publicAY))
    let zero = [UInt8](repeating: 0, count: 32)
    let prime = try Vectors.wire(Self.prime)
    var invalid = [(zero, zero), (x, zero), (zero, y), (y, x), (prime, y), (x, prime), (x.reversed(), y.reversed())]
    // A coordinate that is fixed to zero while the other one stays makes the classic attack.
    for bit in 0..<8 {
      var other = y
      other[bit * 4] ^= 1 << bit
      invalid.append((x, other))
    }
    invalid += [([], []), (x, []), (x + x, y), (x, y + [0])]
    for (x, y) in invalid {
      #expect(throws: SMPReason.dhKeyCheckFailed) {
        try own.sharedSecret(with: SMPPairingPublicKey(x: x, y: y), permitsDebugKey: true)
      }
    }
  }

  @Test("Refuses its own X coordinate, whatever Y is") func reflection() throws {
    let own = try pair(Vectors.privateB)
    #expect(throws: SMPReason.dhKeyCheckFailed) {
      try own.sharedSecret(with: own.publicKey, permitsDebugKey: true)
    }
    // The point's negative has the same X and is on the curve: y' = p - y.
    var negative = own.publicKey
    var borrow = 0
    let prime = try Vectors.wire(Self.prime)
    for index in 0..<32 {
      let difference = Int(prime[index]) - Int(negative.y[index]) - borrow
      borrow = difference < 0 ? 1 : 0
      negative.y[index] = UInt8(truncatingIfNeeded: difference)
    }
    #expect(throws: Never.self) {
      try pair(Vectors.privateA).sharedSecret(with: negative, permitsDebugKey: false)
    }
    #expect(throws: SMPReason.dhKeyCheckFailed) {
      try own.sharedSecret(with: negative, permitsDebugKey: true)
    }
  }

  @Test("Refuses the debug key unless it is permitted") func debugKey() throws {
    let debug = try #require(PairingKeyPair.debug)
    #expect(debug.publicKey.x == (try Vectors.wire(Vectors.publicAX)))
    let own = try pair(Vectors.privateB)
    #expect(throws: SMPReason.invalidParameters) {
      try own.sharedSecret(with: debug.publicKey, permitsDebugKey: false)
    }
    #expect(throws: SMPReason.invalidParameters) {
      try debug.sharedSecret(with: debug.publicKey, permitsDebugKey: false)
    }
    #expect(throws: Never.self) { try debug.sharedSecret(with: debug.publicKey, permitsDebugKey: true) }
  }

  @Test("Prints no bytes, nor does a key") func redaction() throws {
    let own = try pair(Vectors.privateB)
    let key = try #require(SecurityKey([UInt8](repeating: 0xA5, count: 16)))
    var dumped = ""
    dump(own, to: &dumped)
    dump(key, to: &dumped)
    dump(SMPEncryptionInformation(longTermKey: key), to: &dumped)
    dumped += "\(own) \(key) \(String(reflecting: own)) \(String(reflecting: key)) \([key])"
    for trace in ["165", "a5", "A5", "253", "fd"] { #expect(!dumped.contains(trace)) }
  }
}

extension String {
  /// The text with another last character.
  fileprivate func replacingOccurrences(last: String, with other: String) -> String {
    hasSuffix(last) ? String(dropLast()) + other : self
  }
}
