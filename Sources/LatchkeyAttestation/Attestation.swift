public import struct Foundation.Date

/// The contents of an attestation statement, all of it verified.
public struct Attestation: Hashable, Sendable {
  /// Where a key is proved to be stored; a greater level is better protected.
  public enum Level: Int, Hashable, Sendable, Comparable, CaseIterable {
    /// Proves nothing: the key itself signs the statement, so its holder can state anything.
    case software = 1
    /// The key was generated in a TPM 2.0 and cannot leave it.
    case tpm = 2
    /// The key was generated in the Secure Enclave of an Apple device and cannot leave it: Apple's servers say so. A policy that requires
    /// a TPM accepts it, if the verifier trusts a root for Apple's devices.
    case secureEnclave = 3

    /// Whether `a` proves less than `b`.
    public static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
  }

  /// Where the key is stored.
  public var level: Level
  /// The public key in X9.63 form: 04, x and y, 65 bytes. It is a point of P-256.
  public var publicKey: [UInt8]
  /// The public key as a SubjectPublicKeyInfo in DER (RFC 5480 2).
  public var subjectPublicKeyInfo: [UInt8]
  /// Whether the TPM itself requires the key's authorization value for each use, and counts wrong ones. Always false for a key
  /// in software, whatever it states. The place of that value is not proved: for a key guarded by biometry, the keychain has
  /// it, and sends it to the TPM when biometry succeeds.
  public var isAuthorizationEnforcedByHardware: Bool
  /// Whether the TPM itself requires physical presence at the machine (TPM2_PolicyPhysicalPresence). Keys that Latchkey
  /// generates never require it: a TPM knows no finger and no passcode, and it does not attest the checks that this library
  /// makes before it uses a key.
  public var isPresenceEnforcedByHardware: Bool
  /// The statement of a key in software about itself; nil for a TPM, which does not have the information.
  public var stated: StatedProtection?
  /// The key that signed the TPM's statement; nil for others.
  public var attestationKey: AttestationKey?
  /// The Apple device; nil for others.
  public var appleDevice: AppleDevice?
}

/// An Apple device, as Apple's servers name it.
public struct AppleDevice: Hashable, Sendable {
  /// Its serial number; nil where the user enrolled a device of their own.
  public var serialNumber: String?
  /// Its unique identifier, on a Mac that of provisioning; nil where the user enrolled a device of their own.
  public var udid: String?
  /// The certificate, DER, which has more about the device.
  public var certificate: [UInt8]

  /// The serial number and the unique identifier, as far as there are.
  public var identifiers: [String] { [serialNumber, udid].compactMap { $0 } }
}

/// The protection that a key in software states for itself. It is not proved.
public struct StatedProtection: Hashable, Sendable {
  /// When the key is accessible, as the code of its `kSecAttrAccessible`: "aku" while unlocked, "cku" from the first unlock on,
  /// "dku" always, "akpu" while unlocked and a passcode is set.
  public var accessibility: String
  /// The flags of its access control, bits as in `SecAccessControlCreateFlags`.
  public var flags: UInt
  /// The date of the key's creation.
  public var created: Date
}

/// The key in a TPM that attests others: it signs only structures that the TPM itself made.
public struct AttestationKey: Hashable, Sendable {
  /// The public key as a SubjectPublicKeyInfo in DER.
  public var subjectPublicKeyInfo: [UInt8]
  /// Whether it is trusted as a pinned key; otherwise its certificate chains to a root.
  public var isPinned: Bool
  /// The certificate in DER; nil if the statement has none.
  public var certificate: [UInt8]?
  /// The TPM that the certificate names; nil without a certificate, and for a pinned key, whose certificate is not validated.
  public var tpm: TPMIdentity?
}

/// The TPM's identity as its manufacturer states it (TCG EK Credential Profile 3.2.9).
public struct TPMIdentity: Hashable, Sendable {
  /// The manufacturer: "id:" and the TCG's number for it, eight hexadecimal digits.
  public var manufacturer: String
  /// The model.
  public var model: String
  /// The firmware's version: "id:" and hexadecimal digits.
  public var version: String
}
