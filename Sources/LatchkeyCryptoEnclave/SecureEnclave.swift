import LatchkeyKeychainModel

/// CryptoKit's keys of the Secure Enclave (Apple, CryptoKit, `SecureEnclave`), which swift-crypto does not have: P-256 keys
/// that are made and used inside, in a TPM 2.0 or in software, and never come out.
///
/// They belong to the process's keychain, which seals them; they are no items of it. An application keeps a key's
/// `dataRepresentation` wherever it likes: it is worth nothing outside of that keychain.
public enum SecureEnclave {
  /// Whether there is an enclave: also where it is software (``backend``).
  public static var isAvailable: Bool { (try? enclave()) != nil }

  /// Where new keys live. Not part of CryptoKit: what is made on a machine without a TPM says so.
  ///
  /// - Throws: an `NSError` of `NSOSStatusErrorDomain` if the keychain cannot be opened.
  public static var backend: Backend {
    get throws { Backend(try bridged(enclave).backend) }
  }

  /// Where a key lives.
  public enum Backend: String, Hashable, Sendable {
    /// Sealed by the keychain, and in this process's memory while it is used.
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
    /// Keys that sign.
    public enum Signing {}
    /// Keys that agree on secrets.
    public enum KeyAgreement {}
  }

  static func enclave() throws(StoreError) -> any Enclave {
    guard let enclave = try KeychainSession.current().store.enclave else {
      throw .unavailable("this keychain has no enclave: use one that LatchkeyKeychainStore keeps")
    }
    return enclave
  }
}
