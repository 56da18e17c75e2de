import Crypto
import CryptoExtras
import Foundation
import LatchkeyByteCoding
import LatchkeySecretData

/// RSA encryption: PKCS #1's older padding, OAEP, and OAEP of a session key (Apple's; SecKey.h,
/// kSecKeyAlgorithmRSAEncryptionOAEP…AESGCM): the RSA block, the text under AES-GCM with a vector of 16 zero bytes (the key is
/// used once), a tag of 16 bytes; the public key's PKCS #1 form is authenticated with it.
enum RSAEncryption {
  private static let tagByteCount = 16
  private static let vector = [UInt8](repeating: 0, count: 16)

  static func encrypt(
    _ text: [UInt8], to key: [UInt8], bits: Int, by algorithm: KeyAlgorithm
  ) throws(KeyError) -> [UInt8] {
    guard case .rsaOAEPAESGCM(let digest) = algorithm else { return try encryptBlock(text, to: key, bits, algorithm) }
    let session = SymmetricKey(size: RSASizes.sessionKeyByteCount(bits) == 32 ? .bits256 : .bits128)
    var sessionBytes = session.withUnsafeBytes { [UInt8]($0) }
    defer { sessionBytes.wipe() }
    let block = try encryptBlock(sessionBytes, to: key, bits, .rsaOAEP(digest))
    do {
      let nonce = try AES.GCM.Nonce(data: vector)
      let box = try AES.GCM.seal(text, using: session, nonce: nonce, authenticating: key)
      return block + box.ciphertext + box.tag
    } catch {
      throw .invalidInput("the text cannot be encrypted")
    }
  }

  static func decrypt(
    _ ciphertext: [UInt8], with key: [UInt8], publicKey: [UInt8], bits: Int, by algorithm: KeyAlgorithm
  ) throws(KeyError) -> [UInt8] {
    guard case .rsaOAEPAESGCM(let digest) = algorithm else {
      return try decryptBlock(ciphertext, with: key, bits, algorithm)
    }
    let blockCount = RSASizes.blockByteCount(bits)
    guard ciphertext.count >= blockCount + tagByteCount else { throw .decryptionFailed }
    var session = try decryptBlock(Array(ciphertext[..<blockCount]), with: key, bits, .rsaOAEP(digest))
    defer { session.wipe() }
    guard session.count == RSASizes.sessionKeyByteCount(bits) else { throw .decryptionFailed }
    do {
      let end = ciphertext.count - tagByteCount
      let box = try AES.GCM.SealedBox(
        nonce: AES.GCM.Nonce(data: vector), ciphertext: ciphertext[blockCount..<end], tag: ciphertext[end...])
      var text = try AES.GCM.open(box, using: SymmetricKey(data: session), authenticating: publicKey)
      return text.movedOut()
    } catch {
      throw .decryptionFailed
    }
  }

  private static func encryptBlock(
    _ text: [UInt8], to key: [UInt8], _ bits: Int, _ algorithm: KeyAlgorithm
  ) throws(KeyError) -> [UInt8] {
    let (padding, longest) = try padding(algorithm, bits)
    guard text.count <= longest else {
      throw .invalidInput("the text has \(text.count) bytes, and this key takes at most \(longest)")
    }
    guard case .common(let padding) = padding else {
      guard case .rsaOAEP(let digest) = algorithm, let block = BoringSSLRSA.encrypt(text, to: key, digest) else {
        throw .invalidInput("the text cannot be encrypted by this key")
      }
      return block
    }
    do {
      let key = try _RSA.Encryption.PublicKey(unsafeDERRepresentation: key)
      return [UInt8](try key.encrypt(text, padding: padding))
    } catch {
      throw .invalidInput("the text cannot be encrypted by this key")
    }
  }

  private static func decryptBlock(
    _ ciphertext: [UInt8], with key: [UInt8], _ bits: Int, _ algorithm: KeyAlgorithm
  ) throws(KeyError) -> [UInt8] {
    let (padding, _) = try padding(algorithm, bits)
    guard ciphertext.count == RSASizes.blockByteCount(bits) else { throw .decryptionFailed }
    guard case .common(let padding) = padding else {
      guard case .rsaOAEP(let digest) = algorithm, let text = BoringSSLRSA.decrypt(ciphertext, with: key, digest) else {
        throw .decryptionFailed
      }
      return text
    }
    do {
      let key = try _RSA.Encryption.PrivateKey(unsafeDERRepresentation: key)
      var text = try key.decrypt(ciphertext, padding: padding)
      return text.movedOut()
    } catch {
      throw .decryptionFailed
    }
  }

  /// Who pads a block.
  private enum Padding {
    /// swift-crypto, in this way.
    case common(_RSA.Encryption.Padding)
    /// BoringSSL, with OAEP.
    case boringSSL
  }

  private static func padding(
    _ algorithm: KeyAlgorithm, _ bits: Int
  ) throws(KeyError) -> (Padding, longest: Int) {
    guard bits.isMultiple(of: 8) else { throw .unsupported("encryption by an RSA key of \(bits) bits") }
    switch algorithm {
    case .rsaEncryptionPKCS1: return (.common(._WEAK_AND_INSECURE_PKCS_V1_5), RSASizes.longestPKCS1Text(bits))
    case .rsaOAEP(.sha1): return (.common(.PKCS1_OAEP), RSASizes.longestOAEPText(bits, .sha1))
    case .rsaOAEP(.sha256): return (.common(.PKCS1_OAEP_SHA256), RSASizes.longestOAEPText(bits, .sha256))
    case .rsaOAEP(let digest): return (.boringSSL, RSASizes.longestOAEPText(bits, digest))
    default: throw .unsupported("this RSA encryption is not there: use OAEP, or PKCS #1's padding")
    }
  }
}
