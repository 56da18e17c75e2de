/// Why a statement was not accepted. No case means that the key is bad: only that nothing is proved.
public enum AttestationError: Error, Hashable, Sendable {
  /// The bytes are no attestation object, or a structure in it is none: what is wrong.
  case malformed(String)
  /// A kind of statement that is not known here: its name.
  case unknownFormat(String)
  /// The verifier was given neither a root certificate nor a pinned key, and so can accept nothing from a TPM.
  case nothingTrusted
  /// A root certificate or a pinned key that the verifier was given cannot serve as one: why.
  case badTrust(String)
  /// The statement proves less than the policy wants.
  case levelTooLow(Attestation.Level)
  /// The key can be used without its authorization value, or wrong ones are not counted, and the policy wants otherwise.
  case authorizationNotEnforced
  /// The key can be used without physical presence, and the policy wants otherwise.
  case presenceNotEnforced
  /// The statement is about another challenge: an old one, or somebody else's.
  case wrongChallenge
  /// The signed structure was not made by a TPM, or is no certification of a key.
  case notCertified
  /// The signature does not verify.
  case badSignature
  /// An algorithm that is not taken here: which.
  case unsupportedAlgorithm(String)
  /// The certified key is another one than the statement shows.
  case wrongName
  /// The key is of a kind that is not taken here, or no point of its curve: what is wrong.
  case unsupportedKey(String)
  /// The key could be elsewhere too, or was not made in the TPM, or is not for its owner's use: which attribute.
  case wrongAttributes(String)
  /// A certificate of the chain is not acceptable: its place, 0 for the attestation key's, and why.
  case certificate(Int, CertificateFault)
  /// The certificates do not lead to a root, or there is none and the signature is of no pinned key.
  case untrusted
}

/// What is wrong with a certificate.
public enum CertificateFault: Hashable, Sendable {
  /// It cannot be read.
  case malformed
  /// It is not of version 3.
  case version
  /// An attestation key's certificate has a subject.
  case subject
  /// An attestation key's certificate does not name its TPM's manufacturer, model and version.
  case alternativeName
  /// It is not meant for attestation keys.
  case extendedKeyUsage
  /// It is an authority's and should be none, or the other way.
  case basicConstraints
  /// Its key is not meant to sign this.
  case keyUsage
  /// It says something that must be understood and is not.
  case criticalExtension
  /// More certificates stand below it than it allows.
  case pathLength
  /// It was not issued by the next one: other names, or the signature is wrong.
  case issuer
  /// It is signed by an algorithm, or has a key, that is too weak or not known.
  case algorithm
  /// It is not valid yet.
  case notYetValid
  /// It is no longer valid.
  case expired
}

extension AttestationError: CustomStringConvertible {
  /// What was wrong, and where there is something to do, what.
  public var description: String {
    switch self {
    case .malformed(let text): "the attestation is malformed: \(text)"
    case .unknownFormat(let name): "attestations of the format \(name.debugDescription) are not known here"
    case .nothingTrusted: "give the verifier root certificates or pinned attestation keys: it trusts nothing yet"
    case .badTrust(let text): "this cannot be trusted as a root or pinned key: \(text)"
    case .levelTooLow(let level): "the policy wants more than the level \(level)"
    case .authorizationNotEnforced: "the hardware does not enforce the key's authorization"
    case .presenceNotEnforced: "the hardware does not enforce somebody's presence"
    case .wrongChallenge: "the attestation answers another challenge: ask for a new one"
    case .notCertified: "the signed structure is no certification made by a TPM"
    case .badSignature: "the attestation's signature does not verify"
    case .unsupportedAlgorithm(let text): "unsupported algorithm: \(text)"
    case .wrongName: "the certified key is another one than the attestation shows"
    case .unsupportedKey(let text): "unsupported key: \(text)"
    case .wrongAttributes(let text): "the key's attributes prove nothing: \(text)"
    case .certificate(let place, let fault): "certificate \(place) of the chain: \(fault)"
    case .untrusted: "nothing trusted vouches for the attestation key: its issuer's root is missing, or its pin"
    }
  }
}

extension CertificateFault: CustomStringConvertible {
  /// What is wrong.
  public var description: String {
    switch self {
    case .malformed: "it cannot be read"
    case .version: "it is not of version 3"
    case .subject: "an attestation key's certificate has no subject, this one has"
    case .alternativeName: "it does not name the TPM's manufacturer, model and version"
    case .extendedKeyUsage: "it is not meant for attestation keys (2.23.133.8.3)"
    case .basicConstraints: "it is an authority's and should be none, or the other way round"
    case .keyUsage: "its key is not meant to sign this"
    case .criticalExtension: "it has a critical extension that is not understood"
    case .pathLength: "more certificates stand below it than it allows"
    case .issuer: "the next certificate did not issue it"
    case .algorithm: "its algorithm or key is too weak or unknown"
    case .notYetValid: "it is not valid yet"
    case .expired: "it has expired"
    }
  }
}
