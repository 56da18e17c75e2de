/// The title of a certificate in a list (`SecCertificateCopySubjectSummary`), by the rules of SecCertificate.c.
struct SubjectSummary {
  private var rank = Rank.nothing
  private var texts: [String] = []
  private var descriptions: [String] = []

  /// The rank of an attribute as a title, worst first.
  private enum Rank: Comparable { case nothing, anything, organization, organizationalUnit, commonName }

  /// The title of a certificate: its common name, with the description in parentheses if there is one; else its first mail
  /// address or host; else its unit, organization or any other attribute. It joins all values of the best rank, the last
  /// first. Nil if there are none.
  static func text(of certificate: CertificateFields) -> String? {
    var summary = SubjectSummary()
    for attribute in certificate.subject.attributes { summary.note(attribute) }
    if summary.rank == .commonName {
      let name = summary.texts.joined(separator: ", ")
      return summary.descriptions.isEmpty ? name : "\(name) (\(summary.descriptions.joined(separator: ", ")))"
    }
    if let address = certificate.mailAddresses?.first ?? certificate.hosts?.first { return address }
    return summary.rank == .nothing ? nil : summary.texts.joined(separator: ", ")
  }

  /// The title of a name: the same without mail addresses and hosts, and without the description.
  static func text(of name: DistinguishedName) -> String? {
    var summary = SubjectSummary()
    for attribute in name.attributes { summary.note(attribute) }
    return summary.rank == .nothing ? nil : summary.texts.joined(separator: ", ")
  }

  private mutating func note(_ attribute: DistinguishedName.Attribute) {
    let rank: Rank =
      switch attribute.type {
      case .commonName: .commonName
      case .organizationalUnit: .organizationalUnit
      case .organization: .organization
      default: .anything
      }
    if attribute.type == .nameDescription { descriptions.insert(attribute.text, at: 0) }
    guard rank >= self.rank else { return }
    if rank > self.rank { texts = [] }
    self.rank = rank
    texts.insert(attribute.text, at: 0)
  }
}

extension CertificateFields {
  /// The mail addresses of the subject alternative name, then those of the subject. Nil if one cannot be parsed.
  var mailAddresses: [String]? {
    guard let names = extensions.alternativeNames(tagged: 1), names.allSatisfy({ $0.utf8.allSatisfy { $0 < 0x80 } })
    else { return nil }
    return names + subject.texts(of: .emailAddress)
  }

  /// The entries of the subject alternative name that are valid host names. Nil if one cannot be parsed.
  var hosts: [String]? { extensions.alternativeNames(tagged: 2)?.filter(Self.isHost) }

  /// Whether the text is a host name of RFC 1035 2.3.1, with the extensions seen in certificates: `*` in place of a letter,
  /// `_`, and labels that start with a digit; the last label must contain a letter.
  private static func isHost(_ text: String) -> Bool {
    let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard text.utf8.count <= 255, labels.allSatisfy(isLabel) else { return false }
    return labels.last?.contains { isLetter($0) } ?? false
  }

  private static func isLabel(_ label: Substring.UTF8View) -> Bool {
    let dash = UInt8(ascii: "-")
    guard let first = label.first, let last = label.last, first != dash, last != dash, label.count <= 63 else {
      return false
    }
    return label.allSatisfy {
      isLetter($0) || $0 == dash || $0 == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "*")
  }
}
