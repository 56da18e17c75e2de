/// What a certificate is called in a list (`SecCertificateCopySubjectSummary`), by the rules of SecCertificate.c.
struct SubjectSummary {
  private var rank = Rank.nothing
  private var texts: [String] = []
  private var descriptions: [String] = []

  /// What is better to be called by, worst first.
  private enum Rank: Comparable { case nothing, anything, organization, organizationalUnit, commonName }

  /// What the certificate with these fields is called: its common name, with the description in brackets if there is
  /// one; else its first mail address or host; else its unit, organization or whatever the name holds. All values of
  /// the best kind count, the last first. Nil if there is nothing.
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

  /// What a name alone is called: the same without addresses and hosts.
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
  /// The mail addresses: those of the subject alternative name, then those of the subject. Nil if one cannot be read.
  var mailAddresses: [String]? {
    guard let names = extensions.alternativeNames(tagged: 1), names.allSatisfy({ $0.utf8.allSatisfy { $0 < 0x80 } })
    else { return nil }
    return names + subject.texts(of: .emailAddress)
  }

  /// The hosts of the subject alternative name that are names of hosts. Nil if one cannot be read.
  var hosts: [String]? { extensions.alternativeNames(tagged: 2)?.filter(Self.isHost) }

  /// RFC 1035 2.3.1 with what is seen in certificates: `*` where a letter may stand, `_`, and labels that begin with a
  /// digit; the last one must hold a letter.
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
