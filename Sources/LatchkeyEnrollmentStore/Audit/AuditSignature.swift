internal import Crypto

/// Signatures by the key of a server's answers, over what is said of audit chains.
enum AuditSignature {
  /// Whether a signature, X9.62, is that of a public key, X9.63, over a message.
  static func isValid(_ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]) -> Bool {
    guard signature.count <= 72, let key = try? P256.Signing.PublicKey(x963Representation: publicKey),
      let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature)
    else { return false }
    return key.isValidSignature(signature, for: message)
  }
}
