internal import Foundation
internal import LatchkeyKeychainModel

/// The `kSecMatch…` keys of a search, except the limit.
struct MatchCriteria {
  /// The position of a text in a certificate's common name.
  enum Place: Hashable { case anywhere, start, end, whole }

  /// The normalized content of distinguished names, one of which must be that of an issuer in the certificate's chain.
  var issuers: [[UInt8]]?
  /// A mail address that the certificate must contain.
  var emailAddress: String?
  /// A time at which the certificate must be valid, in seconds since 2001.
  var validOn: Double?
  /// Whether the certificate must be trusted.
  var trustedOnly = false
  /// The policy that the certificate must satisfy.
  var policy: SecPolicy?
  /// A domain to which the server must belong.
  var domain: String?
  /// The texts that the common name must contain, by position.
  var commonName: [Place: String] = [:]
  /// The options of comparing texts.
  var ignoresCase = false
  var ignoresDiacritics = false
  var ignoresWidth = false

  /// Handles one key.
  mutating func take(_ key: MatchKey, _ value: QueryValue) throws(RequestFault) {
    switch key {
    case .limit: break  // has a type of its own
    case .issuers:
      guard case .list(let list) = value, !list.isEmpty else { throw .invalidValue }
      var names: [[UInt8]] = []
      for element in list {
        guard case .bytes(let der) = QueryValue(element),
          let name = DistinguishedName.normalizedContent(of: [UInt8](der))
        else { throw .invalidValue }
        names.append(name)
      }
      issuers = names
    case .policy:
      guard case .object(let object) = value, let policy = object as? SecPolicy else { throw .invalidValue }
      self.policy = policy
    case .emailAddress: emailAddress = try value.asText()
    case .validOnDate:
      switch value {
      case .null: validOn = Date().timeIntervalSinceReferenceDate
      case .date(let date):
        guard date.timeIntervalSinceReferenceDate.isFinite else { throw .invalidValue }
        validOn = date.timeIntervalSinceReferenceDate
      default: throw .invalidValue
      }
    case .trustedOnly: trustedOnly = try value.asFlag()
    case .hostOrSubdomain: domain = try value.asText()
    case .subjectContains: commonName[.anywhere] = try value.asText()
    case .subjectStartsWith: commonName[.start] = try value.asText()
    case .subjectEndsWith: commonName[.end] = try value.asText()
    case .subjectWholeString: commonName[.whole] = try value.asText()
    case .caseInsensitive: ignoresCase = try value.asFlag()
    case .diacriticInsensitive: ignoresDiacritics = try value.asFlag()
    case .widthInsensitive: ignoresWidth = try value.asFlag()
    }
  }

  /// Validates the criteria for a search of this class.
  ///
  /// Validity, `trustedOnly` and addresses apply to certificates and to the certificates of identities; items of other
  /// classes pass.
  ///
  /// - Throws: `.matchUnsupported` for common names of other classes; `.unimplemented` where Apple's keychain returns it
  ///   (SecItemServer.c), and for trust if the program has no trust evaluator.
  func check(in itemClass: ItemClass) throws(RequestFault) {
    let hasCertificate = itemClass == .certificate || itemClass == .identity
    if !commonName.isEmpty, !hasCertificate { throw .matchUnsupported }
    if issuers != nil, !hasCertificate { throw .unimplemented }
    if domain != nil, itemClass != .internetPassword { throw .unimplemented }
    if policy != nil, !hasCertificate { throw .unimplemented }
    if hasCertificate, evaluatesTrust, TrustEvaluatorRegistry.evaluator == nil { throw .unimplemented }
  }

  /// Whether the comparison of attributes needs each item, because the keychain's query cannot express it.
  var comparesLoosely: Bool { ignoresDiacritics || ignoresWidth }

  /// Foundation's options for comparing texts.
  var comparison: String.CompareOptions {
    var options: String.CompareOptions = []
    if ignoresCase { options.insert(.caseInsensitive) }
    if ignoresDiacritics { options.insert(.diacriticInsensitive) }
    if ignoresWidth { options.insert(.widthInsensitive) }
    return options
  }
}
