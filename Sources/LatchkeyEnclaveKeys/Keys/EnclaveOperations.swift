public import LatchkeyKeychainModel

/// The algorithms over an enclave's primitives. What can be found wrong without the enclave is found before it is asked, so
/// that nobody has to consent to what cannot be done.
public enum EnclaveOperations {
  /// What the input's fault is, or what the enclave says.
  public enum Fault: Error {
    case key(KeyError)
    case enclave(StoreError)
  }

  private static let curve = Curve.p256

  /// Whether a key of an enclave can do `operation` by `algorithm`: ECDSA, ECDH, and to decrypt ECIES.
  public static func supports(_ algorithm: KeyAlgorithm, for operation: KeyOperation) -> Bool {
    KeyAlgorithm.privateOperations.contains(operation)
      && algorithm.isSupported(by: .ellipticCurve(curve), for: operation)
  }

  /// Signs a message or a digest.
  ///
  /// - Throws: `.key(.unsupported)`; `.key(.invalidInput)` for a digest of a wrong length; what the enclave says.
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

  /// Agrees; what comes out is the caller's to wipe.
  ///
  /// - Throws: `.key(.unsupported)`; `.key(.invalidInput)` as `PrivateKey.exchange` does; what the enclave says.
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

  /// Decrypts ECIES; `publicKey` is the enclave key's own. The text is the caller's to wipe.
  ///
  /// - Throws: `.key(.unsupported)`; `.key(.decryptionFailed)`; what the enclave says.
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
