import Crypto
import LatchkeyByteCoding

/// The device's end of Security 2's handshake. All is computed when the app's key is there; the proof is then compared.
package struct SRPDevice: Sendable {
  /// The answer to the app's key.
  package let response: SessionMessage
  private let clientProof: SecretBytes
  private let deviceProof: SecretBytes
  private let key: SecretBytes
  private let nonce: [UInt8]

  /// Draws without a leading zero are made until there is one that all clients agree with: 1 in 85 is drawn again.
  private static let drawLimit = 32
  private static let exponentLength = 32

  /// - Parameter firstNumber: The number of the first message, 1 but in tests.
  package init(
    _ verifier: SRPVerifier, username: [UInt8], clientKey: [UInt8], random: ProtocommRandom, firstNumber: UInt32 = 1
  ) throws(ProtocommSecurityError) {
    guard SRPVerifier.lengths.contains(username.count), clientKey.count == SRPGroup.byteCount else { throw .length }
    // A = 0 modulo N makes S = 0, whatever the code is.
    guard let a = Residue(bigEndian: clientKey), !a.isZero else { throw .weakKey }
    for _ in 0..<Self.drawLimit {
      guard let draw = Self.draw(verifier, a, clientKey, random) else { continue }
      clientProof = draw.proof
      key = draw.key
      deviceProof = SRPHash.deviceProof(clientKey, draw.proof, key: draw.key)
      let number = (0..<4).map { UInt8(truncatingIfNeeded: firstNumber >> UInt32(24 - 8 * $0)) }
      nonce = Array(random(8).prefix(8)) + number
      guard nonce.count == CountedCipher.nonceLength else { throw .refusedByLibrary }
      response = .srpResponse0(.success, deviceKey: draw.deviceKey, salt: verifier.salt)
      return
    }
    throw .refusedByLibrary
  }

  /// Compares the app's proof, and gives the answer to it and the session's cipher.
  package consuming func finish(
    _ proof: [UInt8]
  ) throws(ProtocommSecurityError) -> (response: SessionMessage, cipher: ProtocommCipher) {
    guard constantTimeEquals(proof, clientProof.array()) else { throw .wrongProof }
    return (
      .srpResponse1(.success, proof: deviceProof.array(), nonce: nonce),
      .sealed(CountedCipher(key: SRPDevice.cipherKey(key), nonce: nonce, counts: true))
    )
  }

  /// AES takes half of K.
  static func cipherKey(_ key: SecretBytes) -> SymmetricKey {
    key.withUnsafeBytes(in: 0..<32) { SymmetricKey(data: $0) }
  }

  /// One b with what follows from it; nil if a leading zero would make a client in the field compute something else.
  private static func draw(
    _ verifier: SRPVerifier, _ a: Residue, _ clientKey: [UInt8], _ random: ProtocommRandom
  ) -> (deviceKey: [UInt8], key: SecretBytes, proof: SecretBytes)? {
    var drawn = random(exponentLength)
    guard drawn.count == exponentLength else { return nil }
    let b = SecretBytes(consuming: &drawn)
    let deviceKey = (SRPHash.multiplier * verifier.verifier + SRPGroup.shortPowers.power(b)).bytes.array()
    guard deviceKey[0] != 0 else { return nil }
    let u = SRPHash.scrambler(clientKey, deviceKey)
    guard !constantTimeIsZero(u.array()) else { return nil }
    let key = SRPHash.key((a * verifier.powers.power(u)).power(b))
    let proof = SRPHash.clientProof(
      username: verifier.username, salt: verifier.salt, clientKey, deviceKey, key: key)
    guard key[0] != 0, proof[0] != 0 else { return nil }
    return (deviceKey, key, proof)
  }
}
