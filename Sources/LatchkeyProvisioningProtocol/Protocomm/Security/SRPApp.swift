package import LatchkeyByteCoding

/// The app's end of Security 2's handshake.
package struct SRPApp: Sendable {
  private let username: [UInt8]
  private let code: SecretBytes
  private let a: SecretBytes
  private let publicKey: [UInt8]
  private var expected: (proof: SecretBytes, key: SecretBytes)?

  private static let drawLimit = 64
  private static let exponentLength = 32

  /// Draws until the public key has 384 bytes: devices take no other length, and it is sent without leading zeros.
  package init(
    username: String = ProtocommDefaults.username, code: SecretBytes, random: ProtocommRandom
  ) throws(ProtocommSecurityError) {
    self.username = Array(username.utf8)
    self.code = code
    guard SRPVerifier.lengths.contains(self.username.count) else { throw .length }
    for _ in 0..<Self.drawLimit {
      var drawn = random(Self.exponentLength)
      guard drawn.count == Self.exponentLength else { throw .refusedByLibrary }
      let exponent = SecretBytes(consuming: &drawn)
      let key = SRPGroup.shortPowers.power(exponent).bytes.array()
      guard key[0] != 0 else { continue }
      a = exponent
      publicKey = key
      return
    }
    throw .refusedByLibrary
  }

  /// The first message.
  package var command: SessionMessage { .srpCommand0(username: username, clientKey: publicKey) }

  /// The message that proves the code, in answer to the device's key.
  package mutating func answer(_ message: SessionMessage) throws(ProtocommSecurityError) -> SessionMessage {
    guard case .srpResponse0(let status, let deviceKey, let salt) = message, expected == nil else { throw .outOfPlace }
    guard status == .success else { throw .refused(status) }
    guard (1...SRPGroup.byteCount).contains(deviceKey.count), SRPVerifier.lengths.contains(salt.count) else {
      throw .length
    }
    guard let b = Residue(bigEndian: deviceKey), !b.isZero else { throw .weakKey }
    let u = SRPHash.scrambler(publicKey, deviceKey)
    guard !constantTimeIsZero(u.array()) else { throw .weakKey }
    let x = SRPHash.privateExponent(username, code, salt: salt)
    let base = b - SRPHash.multiplier * SRPGroup.longPowers.power(x)
    guard !base.isZero else { throw .weakKey }
    let key = SRPHash.key(base.power(ExponentArithmetic.sum(a, u, times: x)))
    let proof = SRPHash.clientProof(username: username, salt: salt, publicKey, deviceKey, key: key)
    expected = (SRPHash.deviceProof(publicKey, proof, key: key), key)
    return .srpCommand1(proof: proof.array())
  }

  /// Compares the device's proof, and gives the session's cipher.
  ///
  /// - Parameter counts: Whether the device counts messages: its patch version is 1.
  package mutating func finish(
    _ message: SessionMessage, counts: Bool
  ) throws(ProtocommSecurityError) -> ProtocommCipher {
    guard case .srpResponse1(let status, let proof, let nonce) = message, let expected else { throw .outOfPlace }
    self.expected = nil
    guard status == .success else { throw .refused(status) }
    guard constantTimeEquals(proof, expected.proof.array()) else { throw .wrongProof }
    guard nonce.count == CountedCipher.nonceLength else { throw .length }
    return .sealed(CountedCipher(key: SRPDevice.cipherKey(expected.key), nonce: nonce, counts: counts))
  }
}
