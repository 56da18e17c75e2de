internal import Foundation
internal import LatchkeyKeychainModel

/// What a search's `kSecMatch…` keys ask for, the limit apart.
struct MatchCriteria {
  /// Where a text must stand in a certificate's common name.
  enum Place: Hashable { case anywhere, start, end, whole }

  /// Distinguished names, one of which must be that of an issuer in the certificate's chain; normalized content.
  var issuers: [[UInt8]]?
  /// An address that the certificate must name.
  var emailAddress: String?
  /// A moment at which the certificate must be valid, in seconds since 2001.
  var validOn: Double?
  /// Whether only trusted certificates count.
  var trustedOnly = false
  /// What certificates must be good for.
  var policy: SecPolicy?
  /// A domain to which the server must belong.
  var domain: String?
  /// Texts that the common name must have, and where.
  var commonName: [Place: String] = [:]
  /// How texts are compared.
  var ignoresCase = false
  var ignoresDiacritics = false
  var ignoresWidth = false

  /// Takes one key.
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

  /// Whether a search of this class can match by these.
  ///
  /// Validity, trust and addresses judge certificates, and identities by theirs; items of other classes pass.
  ///
  /// - Throws: `.matchUnsupported` for common names of what is no certificate; `.unimplemented` where Apple's keychain
  ///   says so (SecItemServer.c), and for trust where nothing in the program judges it.
  func check(in itemClass: ItemClass) throws(RequestFault) {
    let hasCertificate = itemClass == .certificate || itemClass == .identity
    if !commonName.isEmpty, !hasCertificate { throw .matchUnsupported }
    if issuers != nil, !hasCertificate { throw .unimplemented }
    if domain != nil, itemClass != .internetPassword { throw .unimplemented }
    if policy != nil, !hasCertificate { throw .unimplemented }
    if hasCertificate, judgesTrust, TrustEvaluatorRegistry.evaluator == nil { throw .unimplemented }
  }

  /// Whether items' attributes are compared in a way that only the items themselves can tell.
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
