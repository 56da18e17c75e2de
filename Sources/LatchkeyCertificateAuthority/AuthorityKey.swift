/// An authority's private key: in a file, the keychain's enclave, or a TPM.
public protocol AuthorityKey: Sendable {
  /// The P-256 public key in X9.63 form, 65 bytes.
  var publicKey: [UInt8] { get }
  /// Signs a message with ECDSA and SHA-256 and returns the signature in X9.62 DER. May block.
  func sign(_ message: [UInt8]) throws -> [UInt8]
}
