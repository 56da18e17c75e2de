public import Crypto
public import Foundation
import LatchkeyKeychainModel
public import LocalAuthentication
public import Security

extension SecureEnclave.P256.KeyAgreement {
  /// A private key for key agreement that never leaves the enclave.
  public struct PrivateKey: Sendable {
    private let key: EnclavePrivateKey
    /// The public key.
    public let publicKey: Crypto.P256.KeyAgreement.PublicKey

    /// Creates a key without a prompt.
    ///
    /// - Parameters:
    ///   - compactRepresentable: whether the public key must have a compact representation.
    ///   - accessControl: the access control of the key; it needs `.privateKeyUsage`, and a protection of this device only.
    ///   - authenticationContext: the context that caches consent; if nil, each use prompts.
    /// - Throws: an `NSError` of `NSOSStatusErrorDomain`: `errSecNotAvailable` for a constraint that no authenticator can meet.
    public init(
      compactRepresentable: Bool = true, accessControl: SecAccessControl = SecureEnclave.unguarded,
      authenticationContext: LAContext? = nil
    ) throws {
      try self.init(
        EnclavePrivateKey(
          compactRepresentable: compactRepresentable, accessControl: accessControl,
          authenticationContext: authenticationContext))
    }

    /// Loads a key from its ``dataRepresentation``, without a prompt.
    ///
    /// - Throws: an `NSError` of `NSOSStatusErrorDomain`: `errSecInvalidKeyRef` for a key of another keychain or TPM,
    ///   `errSecDecode` for one that was altered.
    public init(dataRepresentation: Data, authenticationContext: LAContext? = nil) throws {
      try self.init(
        EnclavePrivateKey(dataRepresentation: dataRepresentation, authenticationContext: authenticationContext))
    }

    private init(_ key: EnclavePrivateKey) throws {
      self.key = key
      publicKey = try Crypto.P256.KeyAgreement.PublicKey(x963Representation: key.key.publicKey)
    }

    /// The form from which the enclave loads the key: sealed, not secret, and useless to another keychain or TPM.
    public var dataRepresentation: Data { Data(key.key.representation) }

    /// The backend that holds the key. Not part of CryptoKit.
    public var backend: SecureEnclave.Backend { SecureEnclave.Backend(key.key.backend) }

    /// Whether the key is permanently invalid because the enrollment changed after its creation (`.biometryCurrentSet`). Does
    /// not prompt. Not part of CryptoKit.
    public var isInvalidated: Bool { get throws { try key.isInvalidated } }

    /// Attests the key's backend and access control, for `AttestationVerifier` (CBOR). Not part of CryptoKit.
    ///
    /// - Parameter challenge: the verifier's challenge.
    /// - Throws: the same errors as a use of the key.
    public func attestation(challenge: Data) throws -> Data { try key.attestation(challenge: challenge) }

    /// Performs key agreement with a public key (ECDH, NIST SP 800-56A). It prompts if the key's access control requires it.
    ///
    /// - Throws: an `LAError`, such as `userCancel`; an `NSError` of `NSOSStatusErrorDomain`.
    public func sharedSecretFromKeyAgreement(
      with publicKeyShare: Crypto.P256.KeyAgreement.PublicKey
    ) throws -> SecureEnclave.SharedSecret {
      var bytes = try key.sharedSecret(with: [UInt8](publicKeyShare.x963Representation))
      return SecureEnclave.SharedSecret(consuming: &bytes)
    }
  }
}
