import LatchkeyKeychainModel

/// CryptoKit's Secure Enclave keys (Apple, CryptoKit, `SecureEnclave`), which swift-crypto lacks: P-256 private keys that
/// are created and used in an enclave, a TPM 2.0 or software, and never leave it.
///
/// The process's keychain seals the keys, but does not store them as items. An application may store a key's
/// `dataRepresentation` anywhere: it is useless outside of that keychain.
public enum SecureEnclave {
  /// Whether there is an enclave, in software or in a TPM (``backend``).
  public static var isAvailable: Bool { (try? enclave()) != nil }

  /// The backend of new keys. Not part of CryptoKit. It is ``Backend/software`` on a machine without a TPM.
  ///
  /// - Throws: an `NSError` of `NSOSStatusErrorDomain` if the keychain cannot be opened.
  public static var backend: Backend {
    get throws { Backend(try bridged(enclave).backend) }
  }

  /// The place where a private key is held.
  public enum Backend: String, Hashable, Sendable {
    /// Sealed by the keychain, and in this process's memory during use.
    case software
    /// In a TPM 2.0.
    case tpm2

    init(_ backend: EnclaveBackend) {
      self =
        switch backend {
        case .software: .software
        case .tpm2: .tpm2
        }
    }
  }

  /// Keys on NIST's curve P-256.
  public enum P256 {
    /// Keys for signatures.
    public enum Signing {}
    /// Keys for key agreement.
    public enum KeyAgreement {}
  }

  static func enclave() throws(StoreError) -> any Enclave {
    guard let enclave = try KeychainSession.current().store.enclave else {
      throw .unavailable("this keychain has no enclave: use one that LatchkeyKeychainStore keeps")
    }
    return enclave
  }
}
