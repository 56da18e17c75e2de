internal import LatchkeyByteCoding
internal import LatchkeyEnclaveKeys

// The older calls with buffers (Apple, SecKey.h). `…Len` of an output is its capacity on entry, and the number of written
// bytes on return. The mapping from padding to algorithm is that of iOS in SecKey.m of Security-61901; macOS hashes RSA's
// input.

/// The status of a failed verification in the older calls (Apple, SecureTransport.h).
public let errSSLCrypto: OSStatus = -9809

/// Signs a digest with a private key. The signature of a key on a curve is DER, or r and s with `SecPadding.sigRaw`.
///
/// - Returns: `errSecSuccess`; `errSecParam` for a padding that the key does not support, a digest of a wrong length, and a
///   buffer that is too small, which is then not written; others as ``SecKeyCreateSignature(_:_:_:_:)``.
@available(*, deprecated, message: "Use SecKeyCreateSignature")
@discardableResult
public func SecKeyRawSign(
  _ key: SecKey, _ padding: SecPadding, _ dataToSign: UnsafePointer<UInt8>, _ dataToSignLen: Int,
  _ sig: UnsafeMutablePointer<UInt8>, _ sigLen: UnsafeMutablePointer<Int>
) -> OSStatus {
  legacy { () throws(KeyFault) in
    let input = try bytes(dataToSign, dataToSignLen)
    let algorithm = try key.signatureAlgorithm(for: padding, length: input.count)
    try write(try key.sign(input, by: algorithm), to: sig, sigLen)
  }
}

/// Verifies the signature of a digest with a public key.
///
/// - Returns: `errSecSuccess` if it is valid, `errSSLCrypto` if not; `errSecParam` for a padding that the key does not
///   support and a digest of a wrong length.
@available(*, deprecated, message: "Use SecKeyVerifySignature")
@discardableResult
public func SecKeyRawVerify(
  _ key: SecKey, _ padding: SecPadding, _ signedData: UnsafePointer<UInt8>, _ signedDataLen: Int,
  _ sig: UnsafePointer<UInt8>, _ sigLen: Int
) -> OSStatus {
  legacy { () throws(KeyFault) in
    let input = try bytes(signedData, signedDataLen)
    let algorithm = try key.signatureAlgorithm(for: padding, length: input.count)
    try key.verify(try bytes(sig, sigLen), of: input, by: algorithm)
  }
}

/// Encrypts with a public RSA key: with the padding of PKCS #1 or OAEP, or none.
///
/// - Returns: `errSecSuccess`; `errSecParam` for another key or padding, a text that is too long, and a buffer that is too
///   small.
@available(*, deprecated, message: "Use SecKeyCreateEncryptedData")
@discardableResult
public func SecKeyEncrypt(
  _ key: SecKey, _ padding: SecPadding, _ plainText: UnsafePointer<UInt8>, _ plainTextLen: Int,
  _ cipherText: UnsafeMutablePointer<UInt8>, _ cipherTextLen: UnsafeMutablePointer<Int>
) -> OSStatus {
  legacy { () throws(KeyFault) in
    var text = try bytes(plainText, plainTextLen)
    defer { text.wipe() }
    try write(try key.encrypt(text, by: try key.encryptionAlgorithm(for: padding)), to: cipherText, cipherTextLen)
  }
}

/// Decrypts with a private RSA key: with the padding of PKCS #1 or OAEP, or with none, which strips leading zeros.
///
/// - Returns: `errSecSuccess`; `errSecParam` for another key or padding, a ciphertext that cannot be decrypted, and a buffer
///   that is too small.
@available(*, deprecated, message: "Use SecKeyCreateDecryptedData")
@discardableResult
public func SecKeyDecrypt(
  _ key: SecKey, _ padding: SecPadding, _ cipherText: UnsafePointer<UInt8>, _ cipherTextLen: Int,
  _ plainText: UnsafeMutablePointer<UInt8>, _ plainTextLen: UnsafeMutablePointer<Int>
) -> OSStatus {
  legacy { () throws(KeyFault) in
    let algorithm = try key.encryptionAlgorithm(for: padding)
    var text = try key.decrypt(try bytes(cipherText, cipherTextLen), by: algorithm)
    defer { text.wipe() }
    if algorithm == .rsaEncryptionRaw, text.first == 0 {
      // Apple's legacy call strips the zeros, and the last of them too if all are (SecKey.m, `SecKeyDecrypt`).
      var stripped = Array(text.drop { $0 == 0 })
      defer { stripped.wipe() }
      try write(stripped, to: plainText, plainTextLen)
    } else {
      try write(text, to: plainText, plainTextLen)
    }
  }
}

private func legacy(_ call: () throws(KeyFault) -> Void) -> OSStatus {
  do {
    try call()
    return errSecSuccess
  } catch {
    return error.status == errSecVerifyFailed ? errSSLCrypto : error.status
  }
}

private func bytes(_ start: UnsafePointer<UInt8>, _ count: Int) throws(KeyFault) -> [UInt8] {
  guard count >= 0 else { throw KeyFault(errSecParam, "a length is not negative") }
  return Array(UnsafeBufferPointer(start: start, count: count))
}

private func write(
  _ bytes: [UInt8], to place: UnsafeMutablePointer<UInt8>, _ length: UnsafeMutablePointer<Int>
) throws(KeyFault) {
  guard bytes.count <= length.pointee else {
    throw KeyFault(errSecParam, "the buffer has \(length.pointee) bytes and \(bytes.count) are needed")
  }
  length.pointee = bytes.count
  _ = UnsafeMutableBufferPointer(start: place, count: bytes.count).update(fromContentsOf: bytes)
}

extension SecKey {
  fileprivate func signatureAlgorithm(for padding: SecPadding, length: Int) throws(KeyFault) -> SecKeyAlgorithm {
    switch type {
    case .rsa:
      switch padding {
      case []: return .rsaSignatureRaw
      case .PKCS1: return .rsaSignatureDigestPKCS1v15Raw
      case .PKCS1SHA1: return .rsaSignatureDigestPKCS1v15SHA1
      case .PKCS1SHA224: return .rsaSignatureDigestPKCS1v15SHA224
      case .PKCS1SHA256: return .rsaSignatureDigestPKCS1v15SHA256
      case .PKCS1SHA384: return .rsaSignatureDigestPKCS1v15SHA384
      case .PKCS1SHA512: return .rsaSignatureDigestPKCS1v15SHA512
      default: throw KeyFault(errSecParam, "an RSA key signs with no padding or one of SecPadding.PKCS1…")
      }
    case .ellipticCurve:
      return padding == .sigRaw ? .ecdsaSignatureDigestRFC4754 : .ecdsaSignatureDigestX962
    }
  }

  fileprivate func encryptionAlgorithm(for padding: SecPadding) throws(KeyFault) -> SecKeyAlgorithm {
    guard case .rsa = type else { throw KeyFault(errSecParam, "only RSA keys encrypt by this call") }
    switch padding {
    case []: return .rsaEncryptionRaw
    case .PKCS1: return .rsaEncryptionPKCS1
    case .OAEP: return .rsaEncryptionOAEPSHA1
    default: throw KeyFault(errSecParam, "an RSA key encrypts with no padding, SecPadding.PKCS1 or .OAEP")
    }
  }
}
