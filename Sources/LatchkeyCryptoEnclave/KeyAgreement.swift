public import Crypto
public import Foundation
import LatchkeyKeychainModel
public import LocalAuthentication
public import Security

extension SecureEnclave.P256.KeyAgreement {
  /// A private key that agrees on secrets, and never leaves the enclave.
  public struct PrivateKey: Sendable {
    private let key: EnclavePrivateKey
    /// Its public half.
    public let publicKey: Crypto.P256.KeyAgreement.PublicKey

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
      publicKey = try Crypto.P256.KeyAgreement.PublicKey(x963Representation: key.key.publicKey)
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

    /// Agrees with a public key (ECDH, NIST SP 800-56A). The user who guards the key is asked.
    ///
    /// - Throws: an `LAError`, `userCancel` say; an `NSError` of `NSOSStatusErrorDomain`.
    public func sharedSecretFromKeyAgreement(
      with publicKeyShare: Crypto.P256.KeyAgreement.PublicKey
    ) throws -> SecureEnclave.SharedSecret {
      var bytes = try key.sharedSecret(with: [UInt8](publicKeyShare.x963Representation))
      return SecureEnclave.SharedSecret(consuming: &bytes)
    }
  }
}
