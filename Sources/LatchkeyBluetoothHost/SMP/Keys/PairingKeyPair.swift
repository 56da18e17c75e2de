import Crypto
package import LatchkeyByteCoding

/// A key pair of P-256 for one pairing of LE Secure Connections (Core 6.0 Vol 3 Part H 2.3.5.6.1). All bytes are in wire
/// order.
package struct PairingKeyPair: Sendable {
  /// The public key, as Pairing Public Key carries it.
  package let publicKey: SMPPairingPublicKey

  private let privateKey: P256.KeyAgreement.PrivateKey

  /// A pair from 32 random bytes that are the private key; nil if they are out of range, as about one candidate of 2³²
  /// is, so that the caller draws again.
  package init?(privateKey candidate: [UInt8]) {
    var bytes = Array(candidate.reversed())
    defer { bytes.wipe() }
    guard bytes.count == PairingCryptography.coordinateSize,
      let key = try? P256.KeyAgreement.PrivateKey(rawRepresentation: bytes)
    else { return nil }
    privateKey = key
    let point = [UInt8](key.publicKey.rawRepresentation)
    publicKey = SMPPairingPublicKey(x: point.prefix(32).reversed(), y: point.suffix(32).reversed())
  }

  /// The pair of the debug mode, which makes the link readable for everyone.
  package static var debug: PairingKeyPair? {
    PairingKeyPair(privateKey: [
      0xBD, 0x1A, 0x3C, 0xCD, 0xA6, 0xB8, 0x99, 0x58, 0x99, 0xB7, 0x40, 0xEB, 0x7B, 0x60, 0xFF, 0x4A,
      0x50, 0x3F, 0x10, 0xD2, 0xE3, 0xB3, 0xC9, 0x74, 0x38, 0x5F, 0xC5, 0xA3, 0xD4, 0xF6, 0x49, 0x3F,
    ])
  }

  /// The DHKey, 32 bytes in wire order, once the peer's public key is valid.
  ///
  /// Throws DHKey Check Failed if the key is not on the curve or has our X coordinate, as a reflected key has (3.5.5), and
  /// Invalid Parameters if it is the debug key and `permitsDebugKey` is false. Two ends that both use the debug key have the
  /// same X coordinate with good reason.
  package func sharedSecret(
    with peer: SMPPairingPublicKey, permitsDebugKey: Bool
  ) throws(SMPReason) -> SecretBytes {
    let isDebugKey = peer.x == Self.debugX
    guard permitsDebugKey || !isDebugKey else { throw .invalidParameters }
    guard isDebugKey || peer.x != publicKey.x else { throw .dhKeyCheckFailed }
    let point = Array(peer.x.reversed() + peer.y.reversed())
    guard let key = try? P256.KeyAgreement.PublicKey(rawRepresentation: point),
      let secret = try? privateKey.sharedSecretFromKeyAgreement(with: key)
    else { throw .dhKeyCheckFailed }
    return secret.withUnsafeBytes { secret in
      SecretBytes(count: secret.count) { target in
        for index in target.indices { target[index] = secret[secret.count - 1 - index] }
      }
    }
  }

  private static let debugX: [UInt8] = [
    0xE6, 0x9D, 0x35, 0x0E, 0x48, 0x01, 0x03, 0xCC, 0xDB, 0xFD, 0xF4, 0xAC, 0x11, 0x91, 0xF4, 0xEF,
    0xB9, 0xA5, 0xF9, 0xE9, 0xA7, 0x83, 0x2C, 0x5E, 0x2C, 0xBE, 0x97, 0xF2, 0xD2, 0x03, 0xB0, 0x20,
  ]
}

extension PairingKeyPair: CustomStringConvertible, CustomReflectable {
  package var description: String { "a key pair" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
