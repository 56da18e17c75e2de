import LatchkeyByteCoding

/// RSA by BoringSSL where swift-crypto has no call for it: SHA-224, PKCS #1 signatures of what the caller gives, and OAEP with
/// SHA-224, SHA-384 and SHA-512. Padding and arithmetic are BoringSSL's, in constant time.
///
/// swift-crypto links BoringSSL into the program, with a prefix before its names. The functions are declared here by these names,
/// because a C module below `Security` does not compile beside swift-certificates (docs/traps.md). Each takes at most five pointers
/// and integers, which Swift passes as C does.
enum BoringSSLRSA {
  /// A padding, by BoringSSL's number (rsa.h).
  enum Padding: CInt {
    case pkcs1 = 1
    case oaep = 4
    case pss = 6
  }

  /// Signs `input` with an RSAPrivateKey: a digest of this function, or with none the bytes as they are.
  ///
  /// - Returns: nil if the input does not fit.
  static func sign(_ input: [UInt8], with key: [UInt8], _ padding: Padding, _ digest: DigestAlgorithm?) -> [UInt8]? {
    with(key, isPrivate: true) { context in
      guard signInit(context) == 1, prepareSignature(context, padding, digest) else { return nil }
      return output { place, count in signFunction(context, place, count, input, input.count) }
    }
  }

  /// Whether the signature is valid for `input` under an RSAPublicKey.
  static func isValid(
    _ signature: [UInt8], of input: [UInt8], by key: [UInt8], _ padding: Padding, _ digest: DigestAlgorithm?
  ) -> Bool {
    with(key, isPrivate: false) { context -> Bool? in
      guard verifyInit(context) == 1, prepareSignature(context, padding, digest) else { return nil }
      return verifyFunction(context, signature, signature.count, input, input.count) == 1
    } ?? false
  }

  /// Encrypts under OAEP with this function, to an RSAPublicKey; nil if the text does not fit.
  static func encrypt(_ text: [UInt8], to key: [UInt8], _ digest: DigestAlgorithm) -> [UInt8]? {
    with(key, isPrivate: false) { context in
      guard encryptInit(context) == 1, prepareOAEP(context, digest) else { return nil }
      return output { place, count in encryptFunction(context, place, count, text, text.count) }
    }
  }

  /// Decrypts OAEP with this function, with an RSAPrivateKey; nil for any fault of the ciphertext. The caller wipes the text.
  static func decrypt(_ ciphertext: [UInt8], with key: [UInt8], _ digest: DigestAlgorithm) -> [UInt8]? {
    with(key, isPrivate: true) { context in
      guard decryptInit(context) == 1, prepareOAEP(context, digest) else { return nil }
      return output { place, count in decryptFunction(context, place, count, ciphertext, ciphertext.count) }
    }
  }

  private static func prepareSignature(
    _ context: OpaquePointer, _ padding: Padding, _ digest: DigestAlgorithm?
  ) -> Bool {
    guard setPadding(context, padding.rawValue) == 1 else { return false }
    guard let digest else { return padding == .pkcs1 }
    guard setSignatureDigest(context, digest.function) == 1 else { return false }
    // -1 is a salt as long as the digest.
    return padding != .pss || setSaltLength(context, -1) == 1
  }

  private static func prepareOAEP(_ context: OpaquePointer, _ digest: DigestAlgorithm) -> Bool {
    setPadding(context, Padding.oaep.rawValue) == 1 && setOAEPDigest(context, digest.function) == 1
  }

  /// Calls `body` with a context for a key in PKCS #1's form; nil if it is none.
  private static func with<Result>(
    _ key: [UInt8], isPrivate: Bool, _ body: (OpaquePointer) -> Result?
  ) -> Result? {
    // What failed is in a queue of this thread, where others would find it.
    defer { clearErrors() }
    guard let rsa = isPrivate ? readPrivateKey(key, key.count) : readPublicKey(key, key.count) else { return nil }
    guard let owner = newKey() else {
      freeRSA(rsa)
      return nil
    }
    defer { freeKey(owner) }
    guard assign(owner, rsa) == 1 else {
      freeRSA(rsa)
      return nil
    }
    guard let context = newContext(owner, nil) else { return nil }
    defer { freeContext(context) }
    return body(context)
  }

  /// Calls a function that writes at most a block, first for the size of that.
  private static func output(
    _ call: (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>) -> CInt
  ) -> [UInt8]? {
    var count = 0
    guard call(nil, &count) == 1, (1...RSASizes.blockByteCount(RSASizes.readable.upperBound)).contains(count) else {
      return nil
    }
    var bytes = [UInt8](repeating: 0, count: count)
    let isDone = bytes.withUnsafeMutableBufferPointer { call($0.baseAddress, &count) == 1 }
    guard isDone, count <= bytes.count else {
      bytes.wipe()
      return nil
    }
    guard count < bytes.count else { return bytes }
    defer { bytes.wipe() }
    return Array(bytes[..<count])
  }
}

extension DigestAlgorithm {
  fileprivate var function: OpaquePointer? {
    switch self {
    case .sha1: sha1Function()
    case .sha224: sha224Function()
    case .sha256: sha256Function()
    case .sha384: sha384Function()
    case .sha512: sha512Function()
    }
  }
}

// BoringSSL's evp.h, rsa.h, digest.h and err.h.

@_silgen_name("CCryptoBoringSSL_RSA_public_key_from_bytes")
private func readPublicKey(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> OpaquePointer?
@_silgen_name("CCryptoBoringSSL_RSA_private_key_from_bytes")
private func readPrivateKey(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> OpaquePointer?
@_silgen_name("CCryptoBoringSSL_RSA_free")
private func freeRSA(_ key: OpaquePointer?)
@_silgen_name("CCryptoBoringSSL_EVP_PKEY_new")
private func newKey() -> OpaquePointer?
@_silgen_name("CCryptoBoringSSL_EVP_PKEY_free")
private func freeKey(_ key: OpaquePointer?)
@_silgen_name("CCryptoBoringSSL_EVP_PKEY_assign_RSA")
private func assign(_ key: OpaquePointer?, _ rsa: OpaquePointer?) -> CInt
@_silgen_name("CCryptoBoringSSL_EVP_PKEY_CTX_new")
private func newContext(_ key: OpaquePointer?, _ engine: OpaquePointer?) -> OpaquePointer?
@_silgen_name("CCryptoBoringSSL_EVP_PKEY_CTX_free")
private func freeContext(_ context: OpaquePointer?)
@_silgen_name("CCryptoBoringSSL_EVP_PKEY_CTX_set_rsa_padding")
private func setPadding(_ context: OpaquePointer?, _ padding: CInt) -> CInt
@_silgen_name("CCryptoBoringSSL_EVP_PKEY_CTX_set_rsa_pss_saltlen")
private func setSaltLength(_ context: OpaquePointer?, _ count: CInt) -> CInt
@_silgen_name("CCryptoBoringSSL_EVP_PKEY_CTX_set_signature_md")
private func setSignatureDigest(_ context: OpaquePointer?, _ function: OpaquePointer?) -> CInt
@_silgen_name("CCryptoBoringSSL_EVP_PKEY_CTX_set_rsa_oaep_md")
private func setOAEPDigest(_ context: OpaquePointer?, _ function: OpaquePointer?) -> CInt
@_silgen_name("CCryptoBoringSSL_EVP_PKEY_sign_init")
private func signInit(_ context: OpaquePointer?) -> CInt
@_silgen_name("CCryptoBoringSSL_EVP_PKEY_sign")
private func signFunction(
  _ context: OpaquePointer?, _ place: UnsafeMutablePointer<UInt8>?, _ count: UnsafeMutablePointer<Int>?,
  _ input: UnsafePointer<UInt8>?, _ inputCount: Int
) -> CInt
@_silgen_name("CCryptoBoringSSL_EVP_PKEY_verify_init")
private func verifyInit(_ context: OpaquePointer?) -> CInt
@_silgen_name("CCryptoBoringSSL_EVP_PKEY_verify")
private func verifyFunction(
  _ context: OpaquePointer?, _ signature: UnsafePointer<UInt8>?, _ count: Int, _ input: UnsafePointer<UInt8>?,
  _ inputCount: Int
) -> CInt
@_silgen_name("CCryptoBoringSSL_EVP_PKEY_encrypt_init")
private func encryptInit(_ context: OpaquePointer?) -> CInt
@_silgen_name("CCryptoBoringSSL_EVP_PKEY_encrypt")
private func encryptFunction(
  _ context: OpaquePointer?, _ place: UnsafeMutablePointer<UInt8>?, _ count: UnsafeMutablePointer<Int>?,
  _ input: UnsafePointer<UInt8>?, _ inputCount: Int
) -> CInt
@_silgen_name("CCryptoBoringSSL_EVP_PKEY_decrypt_init")
private func decryptInit(_ context: OpaquePointer?) -> CInt
@_silgen_name("CCryptoBoringSSL_EVP_PKEY_decrypt")
private func decryptFunction(
  _ context: OpaquePointer?, _ place: UnsafeMutablePointer<UInt8>?, _ count: UnsafeMutablePointer<Int>?,
  _ input: UnsafePointer<UInt8>?, _ inputCount: Int
) -> CInt
@_silgen_name("CCryptoBoringSSL_EVP_sha1") private func sha1Function() -> OpaquePointer?
@_silgen_name("CCryptoBoringSSL_EVP_sha224") private func sha224Function() -> OpaquePointer?
@_silgen_name("CCryptoBoringSSL_EVP_sha256") private func sha256Function() -> OpaquePointer?
@_silgen_name("CCryptoBoringSSL_EVP_sha384") private func sha384Function() -> OpaquePointer?
@_silgen_name("CCryptoBoringSSL_EVP_sha512") private func sha512Function() -> OpaquePointer?
@_silgen_name("CCryptoBoringSSL_ERR_clear_error") private func clearErrors()
