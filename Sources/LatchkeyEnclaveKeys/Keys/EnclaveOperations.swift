public import LatchkeyKeychainModel

/// Key algorithms over an enclave's primitives. Errors that need no enclave are found before the call, so that no user consents
/// to an impossible operation.
public enum EnclaveOperations {
  /// A fault of the input, or an error of the enclave.
  public enum Fault: Error {
    case key(KeyError)
    case enclave(StoreError)
  }

  private static let curve = Curve.p256

  /// Whether an enclave key supports `operation` by `algorithm`: ECDSA, ECDH, and decryption of ECIES.
  public static func supports(_ algorithm: KeyAlgorithm, for operation: KeyOperation) -> Bool {
    KeyAlgorithm.privateOperations.contains(operation)
      && algorithm.isSupported(by: .ellipticCurve(curve), for: operation)
  }

  /// Signs a message or a digest.
  ///
  /// - Throws: `.key(.unsupported)`; `.key(.invalidInput)` for a digest of a wrong length; the enclave's errors.
  public static func sign(
    _ input: [UInt8], by algorithm: KeyAlgorithm, with primitives: some EnclavePrimitives
  ) throws(Fault) -> [UInt8] {
    guard supports(algorithm, for: .sign), case .ecdsa(let kind, let function, let format) = algorithm else {
      throw .key(.unsupported("a key of the enclave signs by ECDSA"))
    }
    let digest = try own { () throws(KeyError) in try kind.digest(of: input, by: function) }
    let signature = try enclave { () throws(StoreError) in try primitives.sign(digest: digest) }
    guard signature.count == 2 * curve.byteCount else {
      throw .enclave(.hardware("the enclave gave a signature of \(signature.count) bytes instead of 64"))
    }
    return ECDSASignatureCoding.encode(signature, as: format)
  }

  /// Agrees on a secret. The caller wipes it.
  ///
  /// - Throws: `.key(.unsupported)`; `.key(.invalidInput)` as `PrivateKey.exchange` does; the enclave's errors.
  public static func exchange(
    with peer: PublicKey, by algorithm: KeyAlgorithm, size: Int?, sharedInfo: [UInt8],
    with primitives: some EnclavePrimitives
  ) throws(Fault) -> [UInt8] {
    guard supports(algorithm, for: .exchange) else {
      throw .key(.unsupported("a key of the enclave agrees by ECDH"))
    }
    let point = try own { () throws(KeyError) in
      try KeyAgreement.peerPoint(peer, on: curve, by: algorithm, size: size, sharedInfo: sharedInfo)
    }
    var secret = try sharedSecret(with: point, for: .exchange, by: primitives)
    return try own { () throws(KeyError) in
      try KeyAgreement.derive(from: &secret, by: algorithm, size: size, sharedInfo: sharedInfo)
    }
  }

  /// Decrypts ECIES; `publicKey` is the enclave key's own. The caller wipes the text.
  ///
  /// - Throws: `.key(.unsupported)`; `.key(.decryptionFailed)`; the enclave's errors.
  public static func decrypt(
    _ ciphertext: [UInt8], by algorithm: KeyAlgorithm, publicKey: PublicKey, with primitives: some EnclavePrimitives
  ) throws(Fault) -> [UInt8] {
    guard supports(algorithm, for: .decrypt), publicKey.type == .ellipticCurve(curve) else {
      throw .key(.unsupported("a key of the enclave decrypts ECIES"))
    }
    let (scheme, point) = try own { () throws(KeyError) in
      let scheme = try ECIES.Scheme(algorithm, on: curve)
      return (scheme, try ECIES.point(of: ciphertext, by: scheme))
    }
    var secret = try sharedSecret(with: point, for: .decrypt, by: primitives)
    return try own { () throws(KeyError) in try ECIES.open(ciphertext, with: &secret, by: scheme) }
  }

  private static func sharedSecret(
    with point: [UInt8], for operation: PresenceOperation, by primitives: some EnclavePrimitives
  ) throws(Fault) -> [UInt8] {
    let secret = try enclave { () throws(StoreError) in
      try primitives.sharedSecret(with: point, for: operation)
    }
    guard secret.count == curve.byteCount else {
      throw .enclave(.hardware("the enclave gave a secret of \(secret.count) bytes instead of 32"))
    }
    return secret
  }

  private static func own<Value>(_ body: () throws(KeyError) -> Value) throws(Fault) -> Value {
    do throws(KeyError) { return try body() } catch { throw .key(error) }
  }

  private static func enclave<Value>(_ body: () throws(StoreError) -> Value) throws(Fault) -> Value {
    do throws(StoreError) { return try body() } catch { throw .enclave(error) }
  }
}

/// The operations of a P-256 key that never leaves its enclave: every ``KeyAlgorithm`` is built from these two.
public protocol EnclavePrimitives {
  /// ECDSA of a digest: r and s, 32 bytes each.
  func sign(digest: [UInt8]) throws(StoreError) -> [UInt8]
  /// ECDH with a point in X9.63 form: the x coordinate.
  func sharedSecret(with peer: [UInt8], for operation: PresenceOperation) throws(StoreError) -> [UInt8]
}
