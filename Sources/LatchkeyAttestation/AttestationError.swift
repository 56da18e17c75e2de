/// The reason for refusing a statement. No case means that the key is bad, only that nothing is proved.
public enum AttestationError: Error, Hashable, Sendable {
  /// The bytes, or a structure in them, are not a valid attestation object: what is wrong.
  case malformed(String)
  /// An unknown attestation format: its name.
  case unknownFormat(String)
  /// The verifier has no root certificate and no pinned key for a statement of this format, so it accepts none.
  case nothingTrusted
  /// A root certificate or pinned key of the verifier is unusable: why.
  case badTrust(String)
  /// The statement proves a lower level than the policy requires.
  case levelTooLow(Attestation.Level)
  /// The key is usable without its authorization value, or wrong values are not counted, and the policy requires both.
  case authorizationNotEnforced
  /// The key is usable without physical presence, and the policy requires it.
  case presenceNotEnforced
  /// The statement answers another challenge: an old one, or another verifier's.
  case wrongChallenge
  /// The signed structure was not made by a TPM, or does not certify a key.
  case notCertified
  /// The signature does not verify.
  case badSignature
  /// An unsupported algorithm: which.
  case unsupportedAlgorithm(String)
  /// The certified key differs from the public key in the statement.
  case wrongName
  /// The key's type is unsupported, or it is not a point of its curve: what is wrong.
  case unsupportedKey(String)
  /// The key may exist outside the TPM, was not generated in it, or is restricted: which attribute.
  case wrongAttributes(String)
  /// A certificate of the chain is invalid: its index, 0 for the attestation key's, and why.
  case certificate(Int, CertificateFault)
  /// The chain does not end at a root, or there is no chain and no pinned key made the signature.
  case untrusted
}

/// A fault of a certificate.
public enum CertificateFault: Hashable, Sendable {
  /// It cannot be parsed.
  case malformed
  /// It is not of version 3.
  case version
  /// It is an attestation key's and has a subject, which must be empty.
  case subject
  /// It is an attestation key's and does not name the TPM's manufacturer, model and version.
  case alternativeName
  /// Its extended key usage does not include attestation keys.
  case extendedKeyUsage
  /// It is an authority's and must not be, or the reverse.
  case basicConstraints
  /// Its key usage does not permit this signature.
  case keyUsage
  /// It has a critical extension that is not supported.
  case criticalExtension
  /// It allows fewer certificates below it than there are.
  case pathLength
  /// The next certificate did not issue it: the names differ, or the signature does not verify.
  case issuer
  /// Its signature algorithm or key is too weak or unknown.
  case algorithm
  /// It is not valid yet.
  case notYetValid
  /// It has expired.
  case expired
}

extension AttestationError: CustomStringConvertible {
  /// The reason, and a remedy where there is one.
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
  /// The fault as text.
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
