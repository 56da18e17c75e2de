import LatchkeyByteCoding

/// Data of the peer that came by another way than Bluetooth.
package enum PairingOutOfBandData: Equatable, Sendable {
  /// The TK of legacy pairing (Core 6.0 Vol 3 Part H 2.3.5.4).
  case legacy(temporaryKey: SecurityKey)
  /// A random value, and the confirm value of 16 bytes that commits to the peer's public key (2.3.5.6.4).
  case secureConnections(random: SecurityKey, confirm: [UInt8])
}

/// The data that this end gave to its peer by another way than Bluetooth, with the key pair that they commit to. They serve
/// for one pairing.
package struct LocalOutOfBandData: Sendable {
  /// The pair of the pairing.
  package let keyPair: PairingKeyPair
  /// The random value r.
  package let random: SecurityKey

  package init(keyPair: PairingKeyPair, random: SecurityKey) {
    self.keyPair = keyPair
    self.random = random
  }

  /// The data for the peer, to be sent by the other way.
  package func published() throws(SMPReason) -> PairingOutOfBandData {
    .secureConnections(
      random: random, confirm: try PairingCryptography.commitment(to: keyPair.publicKey, random: random))
  }
}

extension PairingCryptography {
  /// The confirm value of out-of-band data: f4(PK, PK, r, 0) (2.3.5.6.4).
  static func commitment(to key: SMPPairingPublicKey, random: SecurityKey) throws(SMPReason) -> [UInt8] {
    var exposed = random.exposedBytes
    defer { exposed.wipe() }
    return try f4(u: key.x, v: key.x, x: exposed, z: 0)
  }
}
