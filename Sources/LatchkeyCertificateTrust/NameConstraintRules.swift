internal import Foundation
internal import LatchkeyKeychainModel
internal import SwiftASN1
internal import X509

/// For which names an authority may vouch (RFC 5280 4.2.1.10): every certificate below it has only such.
///
/// A name of a kind that is constrained and that nobody here can compare is none of them: better to refuse it.
enum NameConstraintRules {
  /// How many names of certificates below an authority are compared with its subtrees, in all.
  private static let mostComparisons = 100_000

  /// The first name in `path`, the leaf first, that an issuer of the path may not vouch for.
  static func fault(in path: [ChainCertificate]) -> PathRules.Fault? {
    var comparisons = 0
    for (place, issuer) in path.enumerated().dropFirst() {
      let constraints: NameConstraints?
      do {
        constraints = try issuer.certificate.extensions.nameConstraints
      } catch {
        return PathRules.Fault(
          refusal: .nameConstraints, detail: "the name constraints of \(issuer.name) cannot be read")
      }
      guard let constraints else { continue }
      for (index, certificate) in path[..<place].enumerated() where index == 0 || !certificate.isSelfIssued {
        let names = certificate.constrainedNames
        comparisons += names.count * (constraints.permittedSubtrees.count + constraints.excludedSubtrees.count)
        guard comparisons <= mostComparisons else {
          return PathRules.Fault(refusal: .tooMuch, detail: "\(issuer.name) constrains too many names")
        }
        guard names.allSatisfy({ isAllowed($0, by: constraints) }) else {
          return PathRules.Fault(
            refusal: .nameConstraints, detail: "\(issuer.name) may not vouch for the names of \(certificate.name)")
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
  /// The names that constraints are about: the subject, its mail addresses if the alternative names have none, and the
  /// alternative names.
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

  /// Whether this name, of the same kind, is in `subtree`; nil if that cannot be told.
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
