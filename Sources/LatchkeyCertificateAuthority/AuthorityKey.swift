/// The authority's key, wherever it lies: a file, the keychain's enclave, a TPM.
public protocol AuthorityKey: Sendable {
  /// X9.63 of the P-256 public key, 65 bytes.
  var publicKey: [UInt8] { get }
  /// Signs a message with ECDSA and SHA-256; gives X9.62 DER. May block.
  func sign(_ message: [UInt8]) throws -> [UInt8]
}
