public import struct Foundation.Date

/// What an attestation statement says, once everything in it was verified.
public struct Attestation: Hashable, Sendable {
  /// Where a key lives, as far as it is proved; the greater, the better protected.
  public enum Level: Int, Hashable, Sendable, Comparable, CaseIterable {
    /// Nothing is proved: the statement is signed by the key itself, and anyone who has the key can say anything.
    case software = 1
    /// The key was made in a TPM 2.0 and cannot leave it.
    case tpm = 2

    /// Whether `a` proves less than `b`.
    public static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
  }

  /// Where the key lives.
  public var level: Level
  /// The public key in X9.63 form: 04, x and y, 65 bytes. It is a point of P-256.
  public var publicKey: [UInt8]
  /// The public key as a SubjectPublicKeyInfo in DER (RFC 5480 2).
  public var subjectPublicKeyInfo: [UInt8]
  /// Whether the TPM itself refuses to use the key until it is shown the key's authorization value, and counts wrong ones.
  /// Always false for a key in software, whatever it states. Where that value lies is not proved: for a key that biometry
  /// guards the keychain has it, and hands it to the TPM when biometry says yes.
  public var isAuthorizationEnforcedByHardware: Bool
  /// Whether the TPM itself refuses to use the key until somebody at the machine has shown their presence to it
  /// (TPM2_PolicyPhysicalPresence). Keys that Latchkey makes are none of these: no finger and no passcode is known to a
  /// TPM, and what this library asks before it uses a key the TPM does not vouch for.
  public var isPresenceEnforcedByHardware: Bool
  /// What a key in software says about itself; nil for a TPM, which does not know it.
  public var stated: StatedProtection?
  /// The key that vouches for a key in a TPM; nil in software.
  public var attestationKey: AttestationKey?
}

/// What a key in software says about what guards it. Nobody vouches for it.
public struct StatedProtection: Hashable, Sendable {
  /// When the key is there, by the code of its `kSecAttrAccessible`: "aku" while unlocked, "cku" from the first unlock on,
  /// "dku" always, "akpu" while unlocked and a passcode is set.
  public var accessibility: String
  /// The flags of its access control, bits as in `SecAccessControlCreateFlags`.
  public var flags: UInt
  /// When the key was made.
  public var created: Date
}

/// The key in a TPM that vouches for others: it signs what the TPM itself has made, and nothing else.
public struct AttestationKey: Hashable, Sendable {
  /// As a SubjectPublicKeyInfo in DER.
  public var subjectPublicKeyInfo: [UInt8]
  /// Whether it was trusted because it is one of the pinned keys; otherwise, because its certificate leads to a root.
  public var isPinned: Bool
  /// Its certificate in DER; nil if the statement brought none.
  public var certificate: [UInt8]?
  /// What its certificate says about its TPM; nil without one, and for a pinned key whose certificate was not looked at.
  public var tpm: TPMIdentity?
}

/// Which TPM it is, by its maker's words (TCG EK Credential Profile 3.2.9).
public struct TPMIdentity: Hashable, Sendable {
  /// The maker, "id:" and the TCG's number for it in eight hexadecimal digits.
  public var manufacturer: String
  /// The model.
  public var model: String
  /// The firmware's version, "id:" and hexadecimal digits.
  public var version: String
}
