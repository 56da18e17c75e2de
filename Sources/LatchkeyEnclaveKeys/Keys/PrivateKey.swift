import Crypto
import CryptoExtras
import Foundation
import LatchkeyByteCoding
import LatchkeySecretData
import Synchronization

/// A private key in this process's memory, outside of any enclave. It wipes itself at its release.
public final class PrivateKey: Sendable {
  /// The public key.
  public let publicKey: PublicKey

  /// The key in swift-crypto's form.
  private let material: Material
  /// The same scalar for agreement, created at first use.
  private let agreementKey = Mutex<CurveAgreementKey?>(nil)

  private enum Material: Sendable {
    case curve(CurvePrivateKey)
    case rsa(_RSA.Signing.PrivateKey, bits: Int)
  }

  /// Generates a key.
  ///
  /// - Throws: `.unsupported` for RSA outside of 1024 to 8192 bits, or a size that is not a multiple of 128 bits.
  public static func generate(_ type: KeyType) throws(KeyError) -> PrivateKey {
    switch type {
    case .ellipticCurve(let curve): return PrivateKey(CurvePrivateKey(generatedOn: curve))
    case .rsa(let bits):
      guard RSASizes.canGenerate(bits) else {
        throw .unsupported("RSA keys are made with 1024 to 8192 bits, in steps of 128: not with \(bits)")
      }
      do {
        let key = try _RSA.Signing.PrivateKey(unsafeKeySize: _RSA.Signing.KeySize(bitCount: bits))
        let publicKey = try PublicKey(pkcs1: [UInt8](key.publicKey.pkcs1DERRepresentation))
        return PrivateKey(key, bits: bits, publicKey: publicKey)
      } catch let error as KeyError {
        throw error
      } catch {
        throw .unsupported("an RSA key of \(bits) bits could not be made")
      }
    }
  }

  /// Parses an external representation: X9.63's 04 ‖ X ‖ Y ‖ K for a curve, PKCS #1's RSAPrivateKey for RSA. Validates that the
  /// public part matches.
  ///
  /// - Throws: `.malformed`; `.unsupported` for an RSA modulus outside of 1024 to 8192 bits.
  public convenience init(externalRepresentation: [UInt8], family: KeyFamily) throws(KeyError) {
    switch family {
    case .ellipticCurve:
      guard let curve = Curve.allCases.first(where: { 1 + 3 * $0.byteCount == externalRepresentation.count }) else {
        throw .malformed("no private key of P-256, P-384 or P-521 has \(externalRepresentation.count) bytes")
      }
      var scalar = Array(externalRepresentation[curve.pointByteCount...])
      defer { scalar.wipe() }
      try self.init(scalar: scalar, on: curve, point: Array(externalRepresentation[..<curve.pointByteCount]))
    case .rsa: try self.init(pkcs1: externalRepresentation)
    }
  }

  /// Creates a key from a scalar, most significant byte first and as long as the curve's order. The caller wipes the scalar.
  ///
  /// - Parameter point: the public point, if known: it must match the scalar.
  /// - Throws: `.malformed`.
  package convenience init(scalar: [UInt8], on curve: Curve, point: [UInt8]? = nil) throws(KeyError) {
    self.init(try CurvePrivateKey(scalar: scalar, on: curve))
    guard point.map({ $0 == publicKey.externalRepresentation }) ?? true else {
      throw .malformed("the private key and the public key do not belong together")
    }
  }

  /// Parses an RSAPrivateKey (RFC 8017 A.1.2). The caller wipes the bytes.
  convenience init(pkcs1: [UInt8]) throws(KeyError) {
    let publicKey = try PublicKey(pkcs1: RSAKeyCoding.publicKey(ofPrivateKey: pkcs1))
    guard case .rsa(let bits) = publicKey.type else { throw .malformed("no RSA key") }
    do {
      self.init(try _RSA.Signing.PrivateKey(unsafeDERRepresentation: pkcs1), bits: bits, publicKey: publicKey)
    } catch {
      throw .malformed("the numbers of the RSA key do not belong together")
    }
  }

  /// Creates a copy of a key.
  convenience init(_ other: PrivateKey) { self.init(other.material, other.publicKey) }

  private convenience init(_ key: CurvePrivateKey) {
    let point = key.publicKey
    self.init(.curve(key), PublicKey(point, point: point.point))
  }

  private convenience init(_ key: _RSA.Signing.PrivateKey, bits: Int, publicKey: PublicKey) {
    self.init(.rsa(key, bits: bits), publicKey)
  }

  private init(_ material: Material, _ publicKey: PublicKey) {
    self.material = material
    self.publicKey = publicKey
  }

  /// The external representation. The caller wipes it.
  public var externalRepresentation: [UInt8] {
    switch material {
    case .curve(let key):
      var scalar = key.scalar
      defer { scalar.wipe() }
      return publicKey.externalRepresentation + scalar
    case .rsa(let key, _):
      var bytes = key.derRepresentation
      return bytes.movedOut()
    }
  }

  /// The scalar of a key on a curve; nil for RSA. The caller wipes it.
  package var scalar: [UInt8]? {
    guard case .curve(let key) = material else { return nil }
    return key.scalar
  }

  /// The type and the size.
  public var type: KeyType { publicKey.type }

  /// Whether it supports `operation` by `algorithm`: sign, decrypt or exchange.
  public func supports(_ algorithm: KeyAlgorithm, for operation: KeyOperation) -> Bool {
    KeyAlgorithm.privateOperations.contains(operation) && algorithm.isSupported(by: type, for: operation)
  }

  /// Signs `input`, a message or a digest depending on the algorithm.
  ///
  /// - Throws: `.unsupported`; `.invalidInput` for a digest of a wrong length.
  public func sign(_ input: [UInt8], by algorithm: KeyAlgorithm) throws(KeyError) -> [UInt8] {
    guard supports(algorithm, for: .sign) else { throw .unsupported("this key cannot sign by this algorithm") }
    switch (material, algorithm) {
    case (.curve(let key), .ecdsa(let kind, let digest, let format)):
      return ECDSASignatureCoding.encode(try key.sign(digest: kind.digest(of: input, by: digest)), as: format)
    case (.rsa(let key, _), _): return try key.sign(input, by: RSASignatureScheme(algorithm))
    default: throw .unsupported("this key cannot sign by this algorithm")
    }
  }

  /// ECDSA of a digest of 1 to 64 bytes: r and s, each as long as the curve's order.
  package func sign(digest: [UInt8]) throws(KeyError) -> [UInt8] {
    guard case .curve(let key) = material else { throw .unsupported("only keys on curves sign by ECDSA") }
    return try key.sign(digest: digest)
  }

  /// Decrypts. The caller wipes the text.
  ///
  /// - Throws: `.unsupported`; `.decryptionFailed` for any fault of the ciphertext.
  public func decrypt(_ ciphertext: [UInt8], by algorithm: KeyAlgorithm) throws(KeyError) -> [UInt8] {
    guard supports(algorithm, for: .decrypt) else { throw .unsupported("this key cannot decrypt by this algorithm") }
    switch material {
    case .curve(let key):
      let scheme = try ECIES.Scheme(algorithm, on: key.publicKey.curve)
      var secret = try sharedSecret(with: ECIES.point(of: ciphertext, by: scheme))
      return try ECIES.open(ciphertext, with: &secret, by: scheme)
    case .rsa(let key, let bits):
      var written = key.derRepresentation
      var bytes = written.movedOut()
      defer { bytes.wipe() }
      return try RSAEncryption.decrypt(
        ciphertext, with: bytes, publicKey: publicKey.externalRepresentation, bits: bits, by: algorithm)
    }
  }

  /// Agrees with `peer`. `size` and `sharedInfo` are for key derivation, and ignored without it. The caller wipes the result.
  ///
  /// - Throws: `.unsupported`; `.invalidInput` for a peer on another curve, and for a size that is missing or not 1 to 1,048,576.
  public func exchange(
    with peer: PublicKey, by algorithm: KeyAlgorithm, size: Int?, sharedInfo: [UInt8]
  ) throws(KeyError) -> [UInt8] {
    guard supports(algorithm, for: .exchange), case .ellipticCurve(let curve) = type else {
      throw .unsupported("this key cannot agree by this algorithm")
    }
    let point = try KeyAgreement.peerPoint(peer, on: curve, by: algorithm, size: size, sharedInfo: sharedInfo)
    var secret = try sharedSecret(with: point)
    return try KeyAgreement.derive(from: &secret, by: algorithm, size: size, sharedInfo: sharedInfo)
  }

  /// ECDH with a point in X9.63's uncompressed form: the x coordinate. The caller wipes it.
  ///
  /// - Throws: `.invalidInput` for bytes that are not a point of the curve.
  package func sharedSecret(with point: [UInt8]) throws(KeyError) -> [UInt8] {
    guard case .curve(let key) = material else { throw .unsupported("only keys on curves agree") }
    let agreement = try agreementKey.withLock { kept throws(KeyError) in
      if let kept { return kept }
      let made = try CurveAgreementKey(key)
      kept = made
      return made
    }
    return try agreement.sharedSecret(with: point)
  }
}
