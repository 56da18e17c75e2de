public import Crypto
public import Foundation
import LatchkeyKeychainModel
public import LocalAuthentication
public import Security

extension SecureEnclave.P256.Signing {
  /// A private key that signs, and never leaves the enclave.
  public struct PrivateKey: Sendable {
    private let key: EnclavePrivateKey
    /// Its public half.
    public let publicKey: Crypto.P256.Signing.PublicKey

    /// Makes a key. Nobody is asked.
    ///
    /// - Parameters:
    ///   - compactRepresentable: whether the public key is to have a compact representation.
    ///   - accessControl: what guards it; it takes `.privateKeyUsage`, and a protection of this device only.
    ///   - authenticationContext: where consent is remembered; nil: it is asked for at each use.
    /// - Throws: an `NSError` of `NSOSStatusErrorDomain`: `errSecNotAvailable` for a guard that nothing here can meet.
    public init(
      compactRepresentable: Bool = true, accessControl: SecAccessControl = SecureEnclave.unguarded,
      authenticationContext: LAContext? = nil
    ) throws {
      try self.init(
        EnclavePrivateKey(
          compactRepresentable: compactRepresentable, accessControl: accessControl,
          authenticationContext: authenticationContext))
    }

    /// The key of ``dataRepresentation``. Nobody is asked.
    ///
    /// - Throws: an `NSError` of `NSOSStatusErrorDomain`: `errSecInvalidKeyRef` for a key of another keychain or TPM,
    ///   `errSecDecode` for one that was altered.
    public init(dataRepresentation: Data, authenticationContext: LAContext? = nil) throws {
      try self.init(
        EnclavePrivateKey(dataRepresentation: dataRepresentation, authenticationContext: authenticationContext))
    }

    private init(_ key: EnclavePrivateKey) throws {
      self.key = key
      publicKey = try Crypto.P256.Signing.PublicKey(x963Representation: key.key.publicKey)
    }

    /// What the enclave makes the key from again: sealed, not secret, and of no use to another keychain or TPM.
    public var dataRepresentation: Data { Data(key.key.representation) }

    /// Where it lives. Not part of CryptoKit.
    public var backend: SecureEnclave.Backend { SecureEnclave.Backend(key.key.backend) }

    /// Whether it is lost for good, because what was enrolled when it was made has changed (`.biometryCurrentSet`). Nobody
    /// is asked. Not part of CryptoKit.
    public var isInvalidated: Bool { get throws { try key.isInvalidated } }

    /// A statement of where it lives and what guards it, for `AttestationVerifier` (CBOR). Not part of CryptoKit.
    ///
    /// - Parameter challenge: what the verifier has sent.
    /// - Throws: as using the key.
    public func attestation(challenge: Data) throws -> Data { try key.attestation(challenge: challenge) }

    /// Signs a digest with ECDSA (FIPS 186-4). The user who guards the key is asked.
    ///
    /// - Throws: an `LAError`, `userCancel` say; an `NSError` of `NSOSStatusErrorDomain`.
    public func signature(for digest: some Digest) throws -> Crypto.P256.Signing.ECDSASignature {
      try Crypto.P256.Signing.ECDSASignature(rawRepresentation: key.sign(digest))
    }

    /// Signs the SHA-256 digest of `data`.
    ///
    /// - Throws: as ``signature(for:)``.
    public func signature(for data: some DataProtocol) throws -> Crypto.P256.Signing.ECDSASignature {
      try signature(for: SHA256.hash(data: data))
    }
  }
}
