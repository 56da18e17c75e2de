internal import Foundation
import LatchkeyByteCoding
import SwiftASN1

/// The longer extensions as properties: policies, constraints of names, places of revocation lists.
extension CertificatePropertyWriter {
  /// Adds `NameConstraints` (RFC 5280 4.2.1.10).
  mutating func nameConstraints(_ node: ASN1Node?, _ bytes: ArraySlice<UInt8>) {
    guard var parts = node?.elements(.sequence)?[...] else { return invalid("Name Constraints", bytes) }
    for (number, word) in [(0 as UInt, "Permitted"), (1, "Excluded")] {
      guard let subtrees = parts.popFirst(tagged: number) else { continue }
      for subtree in subtrees.elements(subtrees.identifier) ?? [] {
        guard var fields = subtree.elements(.sequence)?[...], let base = fields.popFirst() else {
          return invalid("Name Constraints", bytes)
        }
        for (number, bound) in [(0 as UInt, "Minimum"), (1, "Maximum")] {
          guard let distance = fields.popFirst(tagged: number) else { continue }
          text("\(word) Subtree \(bound)", ASN1Node.integerText(distance.contentBytes))
        }
        section("\(word) Subtree General Name") { $0.generalName(base) }
      }
    }
    if !parts.isEmpty { invalid("Name Constraints", bytes) }
  }

  /// Adds `CRLDistributionPoints` (4.2.1.13).
  mutating func distributionPoints(_ node: ASN1Node?, _ bytes: ArraySlice<UInt8>) {
    let label = "CRL Distribution Points"
    guard let points = node?.elements(.sequence) else { return invalid(label, bytes) }
    for point in points {
      guard var parts = point.elements(.sequence)?[...] else { return invalid(label, bytes) }
      if let place = parts.popFirst(tagged: 0) {
        guard let choices = place.elements(place.identifier), choices.count == 1, distributionPointName(choices[0])
        else {
          return invalid(label, bytes)
        }
      }
      if let reasons = parts.popFirst(tagged: 1) { bitNames("Reasons", content: reasons.contentBytes, Self.reasons) }
      if let issuer = parts.popFirst(tagged: 2) {
        section("CRL Issuer") { section in
          for name in issuer.elements(issuer.identifier) ?? [] { section.generalName(name) }
        }
      }
      guard parts.isEmpty else { return invalid(label, bytes) }
    }
  }

  private mutating func distributionPointName(_ choice: ASN1Node) -> Bool {
    guard choice.identifier.tagClass == .contextSpecific, let parts = choice.elements(choice.identifier) else {
      return false
    }
    switch choice.identifier.tagNumber {
    case 0:
      for name in parts { generalName(name) }
      return true
    case 1:
      section("Name Relative To CRL Issuer") { section in
        if !section.attributes(parts) { section.invalid("RDN", choice.contentBytes) }
      }
      return true
    default: return false
    }
  }

  /// Adds `CertificatePolicies` (4.2.1.4).
  mutating func policies(_ node: ASN1Node?, _ bytes: ArraySlice<UInt8>) {
    guard let policies = node?.elements(.sequence) else { return invalid("Certificate Policies", bytes) }
    for (index, policy) in policies.enumerated() {
      guard let parts = policy.elements(.sequence), (1...2).contains(parts.count),
        let identifier = parts[0].primitive(.objectIdentifier)
      else { return invalid("Certificate Policies", bytes) }
      text("Policy Identifier #\(index + 1)", ASN1Node.objectIdentifierText(identifier))
      guard parts.count == 2 else { continue }
      guard let qualifiers = parts[1].elements(.sequence) else { return invalid("Certificate Policies", bytes) }
      for (index, qualifier) in qualifiers.enumerated() where !self.qualifier(qualifier, number: index + 1) {
        return invalid("Certificate Policies", bytes)
      }
    }
  }

  /// Adds a `PolicyQualifierInfo`; false if it is malformed.
  private mutating func qualifier(_ node: ASN1Node, number: Int) -> Bool {
    guard let parts = node.elements(.sequence), parts.count == 2, let type = parts[0].objectIdentifier else {
      return false
    }
    text("Policy Qualifier #\(number)", type.description)
    switch type {
    case .practiceStatement:
      guard let address = parts[1].primitive(.ia5String) else { return false }
      url("CPS URI", address)
    case .userNotice:
      guard var notice = parts[1].elements(.sequence)?[...] else { return false }
      if notice.first?.identifier == .sequence, let reference = notice.popFirst()?.elements(.sequence) {
        guard reference.count == 2, let numbers = reference[1].elements(.sequence) else { return false }
        text("Organization", reference[0].valueText)
        text("Notice Numbers", numbers.map(\.valueText).joined(separator: ", "))
      }
      if let explicit = notice.popFirst() { text("Explicit Text", explicit.valueText) }
      return notice.isEmpty
    default: unparsed("Qualifier", parts[1].encodedBytes)
    }
    return true
  }

  private static let reasons = [
    "Unused", "Key Compromise", "CA Compromise", "Affiliation Changed", "Superseded", "Cessation Of Operation",
    "Certificate Hold", "Privilege Withdrawn", "AA Compromise",
  ]
}
