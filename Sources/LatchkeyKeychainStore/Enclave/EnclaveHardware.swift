import LatchkeyByteCoding
import LatchkeyEnclaveKeys
public import LatchkeyKeychainModel

#if TPM
  import LatchkeyEnclaveTPM
#endif

/// Describes the hardware that holds the keys of a process's enclave, for the parties that vouch for it: a server that pins its
/// attestation key, or an authority that certifies that key.
///
/// An authority requests ``endorsement()`` and ``attestationKey()``, verifies the manufacturer's certificate, encrypts a secret
/// to both (TPM2_MakeCredential, `tpm2_makecredential`), and certifies the attestation key once ``activate(_:)`` has returned
/// the secret: this proves that both keys are in one TPM (TPM 2.0 Library Part 1, 24; TCG "TPM 2.0 Keys for Device Identity and
/// Attestation").
public struct EnclaveHardware: Sendable {
  /// A key that never leaves the hardware.
  public struct Key: Hashable, Sendable {
    /// The P-256 point in X9.63 form: 65 bytes.
    public let publicKey: [UInt8]
    /// TPM2B_PUBLIC, including its length.
    public let publicArea: [UInt8]
    /// The name: 00 0B and SHA-256 of TPMT_PUBLIC, 34 bytes.
    public let name: [UInt8]
  }

  /// The key and certificates that the manufacturer has provided.
  public struct Endorsement: Hashable, Sendable {
    /// The endorsement key.
    public let key: Key
    /// The key's certificate in DER; nil if the manufacturer has stored none.
    public let certificate: [UInt8]?
    /// The certificate of the RSA endorsement key in DER; nil if the manufacturer has stored none.
    public let certificateRSA: [UInt8]?
  }

  #if TPM
    private let engine: TPMEngine
  #endif

  /// The hardware selected by `LATCHKEY_ENCLAVE`, or the system's. No command is sent to it yet.
  ///
  /// - Throws: `.unavailable` if keys live in software; `.configuration`.
  public static func current() throws(StoreError) -> EnclaveHardware {
    let engines = EngineSet(try EnvironmentChoices.engines())
    #if TPM
      guard engines.backend == .tpm2, let engine = try engines.engine(for: .tpm2) as? TPMEngine else { throw none }
      return EnclaveHardware(engine: engine)
    #else
      _ = engines
      throw none
    #endif
  }

  private static var none: StoreError {
    .unavailable(
      "keys of the enclave live in software here, and no hardware vouches for them: use a build with the trait TPM, and "
        + "\(EngineChoice.variable)=tpm")
  }

  /// The key that signs attestations; the same at each call.
  public func attestationKey() throws(StoreError) -> Key {
    #if TPM
      return Key(try engine.attestationKey())
    #else
      throw Self.none
    #endif
  }

  /// The endorsement key, and the certificates that the manufacturer has stored.
  public func endorsement() throws(StoreError) -> Endorsement {
    #if TPM
      let endorsement = try engine.endorsement()
      return Endorsement(
        key: Key(endorsement.key), certificate: endorsement.certificate, certificateRSA: endorsement.certificateRSA)
    #else
      throw Self.none
    #endif
  }

  /// Decrypts a credential that was encrypted to the endorsement key for the attestation key's name. The caller wipes the
  /// returned secret.
  ///
  /// - Throws: `.foreignKey` for a credential of another TPM or key, or an altered one; `.invalidParameter`, `.hardware`.
  public func activate(_ credential: EnclaveCredential) throws(StoreError) -> [UInt8] {
    #if TPM
      return try engine.activate(credential: credential.identity, secret: credential.secret)
    #else
      throw Self.none
    #endif
  }
}

/// A secret encrypted to an endorsement key for one attestation key.
public struct EnclaveCredential: Hashable, Sendable {
  /// TPM2B_ID_OBJECT without its length.
  public let identity: [UInt8]
  /// TPM2B_ENCRYPTED_SECRET without its length.
  public let secret: [UInt8]

  /// Creates a credential from its parts.
  public init(identity: [UInt8], secret: [UInt8]) {
    self.identity = identity
    self.secret = secret
  }

  /// Parses the file that `tpm2_makecredential` writes: BA DC C0 DE, version 1, then both parts, each after its length; most
  /// significant byte first.
  ///
  /// - Throws: `.invalidParameter` for anything else.
  public init(file: [UInt8]) throws(StoreError) {
    do throws(ByteCodingError) {
      var reader = ByteReader(file)
      guard try reader.uint32BigEndian("magic of a credential") == 0xBADC_C0DE,
        try reader.uint32BigEndian("version of a credential") == 1
      else { throw .invalidValue(field: "magic of a credential") }
      let identity = try reader.bytes(Int(try reader.uint16BigEndian("length of a credential")), "credential")
      let secret = try reader.bytes(Int(try reader.uint16BigEndian("length of a secret")), "secret of a credential")
      try reader.finish("credential")
      guard !identity.isEmpty, !secret.isEmpty, file.count <= Self.maximum else {
        throw .invalidValue(field: "length of a credential")
      }
      self.init(identity: identity, secret: secret)
    } catch {
      throw .invalidParameter("this is no credential as tpm2_makecredential writes it: \(error)")
    }
  }

  private static let maximum = 4096
}

#if TPM
  extension EnclaveHardware.Key {
    fileprivate init(_ key: TPMPublicKey) {
      self.init(publicKey: key.publicKey, publicArea: key.publicArea, name: key.name)
    }
  }
#endif
