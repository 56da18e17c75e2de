internal import Foundation
internal import LatchkeyKeychainModel
internal import SwiftASN1
internal import X509

/// Name constraints of authorities (RFC 5280 4.2.1.10): they hold for every certificate below the authority.
///
/// A constrained name of a kind that this module cannot compare is refused.
enum NameConstraintRules {
  /// The limit of comparisons between names and subtrees, for one path.
  private static let mostComparisons = 100_000

  /// Returns a fault for the first certificate in `path`, leaf first, with a name that an issuer's constraints do not allow; the
  /// fault is the issuer's, which `rules` may excuse.
  static func fault(in path: [ChainCertificate], by rules: PathRules) -> PathRules.Fault? {
    var comparisons = 0
    for (place, issuer) in path.enumerated().dropFirst() where !rules.isExcused(.nameConstraints, of: issuer) {
      let constraints: NameConstraints?
      do {
        constraints = try issuer.certificate.extensions.nameConstraints
      } catch {
        return rules.fault(.nameConstraints, of: issuer, "the name constraints of \(issuer.name) cannot be read")
      }
      guard let constraints else { continue }
      for (index, certificate) in path[..<place].enumerated() where index == 0 || !certificate.isSelfIssued {
        let names = certificate.constrainedNames
        comparisons += names.count * (constraints.permittedSubtrees.count + constraints.excludedSubtrees.count)
        guard comparisons <= mostComparisons else {
          return PathRules.Fault(
            refusal: .tooMuch, detail: "\(issuer.name) constrains too many names", certificate: nil)
        }
        guard names.allSatisfy({ isAllowed($0, by: constraints) }) else {
          return rules.fault(
            .nameConstraints, of: issuer, "\(issuer.name) may not vouch for the names of \(certificate.name)")
        }
      }
    }
    return nil
  }

  private static func isAllowed(_ name: GeneralName, by constraints: NameConstraints) -> Bool {
    for subtree in constraints.excludedSubtrees where subtree.isOfSameKind(as: name) {
      if name.isBelow(subtree) ?? true { return false }
    }
    let permitted = constraints.permittedSubtrees.filter { $0.isOfSameKind(as: name) }
    return permitted.isEmpty || permitted.contains { name.isBelow($0) ?? false }
  }
}

extension ChainCertificate {
  /// The names that constraints apply to: the subject, the alternative names, and the subject's mail addresses if the
  /// alternative names have none.
  fileprivate var constrainedNames: [GeneralName] {
    var names = self.names
    let hasMail = names.contains { if case .rfc822Name = $0 { true } else { false } }
    if !certificate.subject.isEmpty { names.append(.directoryName(certificate.subject)) }
    if !hasMail {
      for attribute in certificate.subject.lazy.flatMap({ $0 }) where attribute.type == .RDNAttributeType.emailAddress {
        names.append(.rfc822Name(String(attribute.value) ?? ""))
      }
    }
    return names
  }
}

extension GeneralName {
  fileprivate func isOfSameKind(as other: GeneralName) -> Bool {
    switch (self, other) {
    case (.otherName, .otherName), (.rfc822Name, .rfc822Name), (.dnsName, .dnsName), (.x400Address, .x400Address),
      (.directoryName, .directoryName), (.ediPartyName, .ediPartyName), (.registeredID, .registeredID),
      (.uniformResourceIdentifier, .uniformResourceIdentifier), (.ipAddress, .ipAddress):
      true
    default: false
    }
  }

  /// Whether this name is in `subtree`, which is of the same kind. Nil if the two cannot be compared.
  fileprivate func isBelow(_ subtree: GeneralName) -> Bool? {
    switch (self, subtree) {
    case (.dnsName(let name), .dnsName(let base)): Subtree.contains(host: name, base: base)
    case (.rfc822Name(let address), .rfc822Name(let base)): Subtree.contains(address: address, base: base)
    case (.uniformResourceIdentifier(let text), .uniformResourceIdentifier(let base)):
      Subtree.contains(uri: text, base: base)
    case (.ipAddress(let address), .ipAddress(let base)):
      Subtree.contains(address: Array(address.bytes), base: Array(base.bytes))
    case (.directoryName(let name), .directoryName(let base)): Subtree.contains(name: name, base: base)
    default: nil
    }
  }
}
