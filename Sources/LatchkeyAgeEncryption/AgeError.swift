/// The reason for refusing an age file, a recipient or an identity.
public enum AgeError: Error, Hashable, Sendable {
  /// The first line is not an age file's.
  case notAnAgeFile
  /// The header is malformed; the text says where.
  case malformedHeader(String)
  /// No identity matches, or the passphrase is wrong.
  case noMatch
  /// The header was altered: its MAC does not verify.
  case headerNotAuthentic
  /// The payload was altered, truncated or extended; the text says where.
  case malformedPayload(String)
  /// The ASCII armor is malformed; the text says where.
  case malformedArmor(String)
  /// The file's work factor is too high: 2 to the power of `found`, above the limit `maximum`.
  case workFactor(found: Int, maximum: Int)
  /// The memory does not suffice for scrypt with a work factor of 2 to the power of this.
  case outOfMemory(workFactor: Int)
  /// The text is not an `age1…` recipient.
  case malformedRecipient
  /// The text is not an `AGE-SECRET-KEY-1…` identity. The text is a secret and not repeated.
  case malformedIdentity
  /// A file must be encrypted for at least one recipient, or for a single passphrase.
  case recipients
}

extension AgeError: CustomStringConvertible {
  /// The reason and the remedy, in one sentence.
  public var description: String {
    switch self {
    case .notAnAgeFile: "this is no age file: its first line is not age-encryption.org/v1"
    case .malformedHeader(let text): "the header of the age file is malformed: \(text)"
    case .noMatch: "the age file does not open: give the passphrase or the identity that it was encrypted for"
    case .headerNotAuthentic: "the header of the age file was altered: take another copy of the file"
    case .malformedPayload(let text): "the age file is damaged: \(text); take another copy of the file"
    case .malformedArmor(let text): "the armor of the age file is malformed: \(text)"
    case .workFactor(let found, let maximum):
      "the age file asks for scrypt with a work factor of \(found); at most \(maximum) is done"
    case .outOfMemory(let workFactor):
      "\(1 << max(0, workFactor - 10)) MiB of memory are needed for the passphrase: free some"
    case .malformedRecipient: "a recipient is spelled age1… (what `age-keygen` prints as public key)"
    case .malformedIdentity: "an identity is spelled AGE-SECRET-KEY-1… (a line of the file that `age-keygen` makes)"
    case .recipients: "give at least one recipient, or one passphrase and no recipient"
    }
  }
}
