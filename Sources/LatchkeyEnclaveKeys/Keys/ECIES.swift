import Crypto
import Foundation
import LatchkeyByteCoding
import LatchkeySecretData

/// ECIES in the format of Apple's `SecKeyCreateEncryptedData`: the ephemeral point in X9.63 form, the text under AES-GCM, the
/// tag of 16 bytes. X9.63's derivation yields the key, with the ephemeral point as shared info: 16 bytes up to P-256, 32 on
/// larger curves. The older variant has an initialization vector of 16 zero bytes, which is safe since every key is used once;
/// the newer derives the vector's 16 bytes after the key. (SecKey.h, kSecKeyAlgorithmECIES….)
enum ECIES {
  static let tagByteCount = 16
  private static let vectorByteCount = 16

  /// The parameters of an algorithm.
  struct Scheme {
    let digest: DigestAlgorithm
    let hasVariableIV: Bool
    let curve: Curve

    /// - Throws: `.unsupported` for algorithms other than ECIES.
    init(_ algorithm: KeyAlgorithm, on curve: Curve) throws(KeyError) {
      guard case .ecies(_, let digest, let hasVariableIV) = algorithm else {
        throw .unsupported("keys on a curve encrypt by ECIES")
      }
      (self.digest, self.hasVariableIV, self.curve) = (digest, hasVariableIV, curve)
    }

    fileprivate var keyByteCount: Int { curve == .p256 ? 16 : 32 }
  }

  /// Encrypts to the key with the point `recipient`.
  static func seal(_ text: [UInt8], to recipient: [UInt8], by scheme: Scheme) throws(KeyError) -> [UInt8] {
    let ephemeral = CurveAgreementKey(generatedOn: scheme.curve)
    let point = ephemeral.point
    var secret = try ephemeral.sharedSecret(with: recipient)
    defer { secret.wipe() }
    let (key, vector) = try derive(from: secret, point: point, by: scheme)
    do {
      let box = try AES.GCM.seal(text, using: key, nonce: vector)
      return point + box.ciphertext + box.tag
    } catch {
      throw .invalidInput("the text cannot be encrypted")
    }
  }

  /// Returns a ciphertext's ephemeral point after validating that it is on the curve, for key agreement.
  ///
  /// - Throws: `.decryptionFailed` for a ciphertext that is too short, or does not begin with a point of the curve.
  static func point(of ciphertext: [UInt8], by scheme: Scheme) throws(KeyError) -> [UInt8] {
    let count = scheme.curve.pointByteCount
    guard ciphertext.count >= count + tagByteCount, ciphertext.first == 4 else { throw .decryptionFailed }
    let point = Array(ciphertext[..<count])
    do throws(KeyError) { _ = try CurvePublicKey(point, on: scheme.curve) } catch { throw .decryptionFailed }
    return point
  }

  /// Decrypts a ciphertext with the secret shared with its ``point(of:by:)``, and wipes the secret.
  ///
  /// - Throws: `.decryptionFailed`.
  static func open(
    _ ciphertext: [UInt8], with secret: inout [UInt8], by scheme: Scheme
  ) throws(KeyError) -> [UInt8] {
    defer { secret.wipe() }
    let count = scheme.curve.pointByteCount
    guard ciphertext.count >= count + tagByteCount else { throw .decryptionFailed }
    let (key, vector) = try derive(from: secret, point: Array(ciphertext[..<count]), by: scheme)
    do {
      let end = ciphertext.count - tagByteCount
      let box = try AES.GCM.SealedBox(
        nonce: vector, ciphertext: ciphertext[count..<end], tag: ciphertext[end...])
      var text = try AES.GCM.open(box, using: key)
      return text.movedOut()
    } catch {
      throw .decryptionFailed
    }
  }

  private static func derive(
    from secret: [UInt8], point: [UInt8], by scheme: Scheme
  ) throws(KeyError) -> (SymmetricKey, AES.GCM.Nonce) {
    let size = scheme.keyByteCount + (scheme.hasVariableIV ? vectorByteCount : 0)
    var bytes = try X963KeyDerivation.derive(size, from: secret, sharedInfo: point, by: scheme.digest)
    defer { bytes.wipe() }
    var keyBytes = Array(bytes[..<scheme.keyByteCount])
    defer { keyBytes.wipe() }
    let vector =
      scheme.hasVariableIV
      ? Array(bytes[scheme.keyByteCount...]) : [UInt8](repeating: 0, count: vectorByteCount)
    do {
      return (SymmetricKey(data: keyBytes), try AES.GCM.Nonce(data: vector))
    } catch {
      throw .unsupported("AES-GCM with an initialization vector of 16 bytes")
    }
  }
}
