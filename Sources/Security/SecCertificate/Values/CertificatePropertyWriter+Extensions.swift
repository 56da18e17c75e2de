internal import Foundation
import LatchkeyByteCoding
import SwiftASN1

/// Extensions as properties (RFC 5280 4.2): a section for each, labeled with its object identifier, with whether it is critical and
/// what it says.
extension CertificatePropertyWriter {
  /// Adds the section of an extension.
  mutating func certificateExtension(_ found: CertificateDocument.Extension) {
    section(found.identifier.description) { section in
      section.flag("Critical", found.isCritical)
      section.value(of: found)
    }
  }

  private mutating func value(of found: CertificateDocument.Extension) {
    let node = try? DER.parse(found.value)
    switch found.identifier {
    case .subjectKeyIdentifier: subjectKeyIdentifier(node, found.value)
    case .keyUsage: bitNames("Usage", node, found.value, Self.usages)
    case .netscapeCertificateType: bitNames("Usage", node, found.value, Self.netscapeTypes)
    case .subjectAlternativeName, .issuerAlternativeName: generalNames(node, else: found.value)
    case .basicConstraints: basicConstraints(node, found.value)
    case .nameConstraints: nameConstraints(node, found.value)
    case .crlDistributionPoints: distributionPoints(node, found.value)
    case .certificatePolicies: policies(node, found.value)
    case .authorityKeyIdentifier: authorityKeyIdentifier(node, found.value)
    case .policyConstraints: policyConstraints(node, found.value)
    case .extendedKeyUsage: purposes(node, found.value)
    case .authorityInformationAccess, .subjectInformationAccess: access(node, found.value)
    default: unknown(node, found.value)
    }
  }

  /// Adds the strings of an unknown extension, or its bytes if it is not a sequence with any.
  private mutating func unknown(_ node: ASN1Node?, _ bytes: ArraySlice<UInt8>) {
    let strings = (node?.elements(.sequence) ?? []).filter(\.isString)
    guard !strings.isEmpty else { return unparsed("Data", bytes) }
    for string in strings { text("Data", DirectoryString.text(string)) }
  }

  private mutating func subjectKeyIdentifier(_ node: ASN1Node?, _ bytes: ArraySlice<UInt8>) {
    guard let identifier = node?.primitive(.octetString) else { return invalid("Subject Key Identifier", bytes) }
    data("Key Identifier", identifier)
  }

  private mutating func authorityKeyIdentifier(_ node: ASN1Node?, _ bytes: ArraySlice<UInt8>) {
    let label = "Authority Key Identifier"
    guard var parts = node?.elements(.sequence)?[...] else { return invalid(label, bytes) }
    if let identifier = parts.popFirst(tagged: 0) { data("Key Identifier", identifier.contentBytes) }
    let issuer = parts.popFirst(tagged: 1)
    let serialNumber = parts.popFirst(tagged: 2)
    guard parts.isEmpty, (issuer == nil) == (serialNumber == nil) else { return invalid(label, bytes) }
    guard let issuer, let serialNumber else { return }
    for name in issuer.elements(issuer.identifier) ?? [] { generalName(name) }
    text("Authority Certificate Serial Number", ASN1Node.integerText(serialNumber.contentBytes))
  }

  private mutating func basicConstraints(_ node: ASN1Node?, _ bytes: ArraySlice<UInt8>) {
    let label = "Basic Constraints"
    guard var parts = node?.elements(.sequence)?[...] else { return invalid(label, bytes) }
    var isAuthority = false
    if parts.first?.identifier == .boolean {
      guard let value = parts.popFirst()?.primitive(.boolean), value.count == 1 else { return invalid(label, bytes) }
      isAuthority = value.first != 0
    }
    let length = parts.first?.identifier == .integer ? parts.popFirst()?.primitive(.integer) : nil
    guard parts.isEmpty else { return invalid(label, bytes) }
    flag("Certificate Authority", isAuthority)
    if let length { text("Path Length Constraint", ASN1Node.integerText(length)) }
  }

  private mutating func policyConstraints(_ node: ASN1Node?, _ bytes: ArraySlice<UInt8>) {
    guard var parts = node?.elements(.sequence)?[...] else { return invalid("Policy Constraints", bytes) }
    if let count = parts.popFirst(tagged: 0) {
      text("Require Explicit Policy", ASN1Node.integerText(count.contentBytes))
    }
    if let count = parts.popFirst(tagged: 1) {
      text("Inhibit Policy Mapping", ASN1Node.integerText(count.contentBytes))
    }
    if !parts.isEmpty { invalid("Policy Constraints", bytes) }
  }

  private mutating func purposes(_ node: ASN1Node?, _ bytes: ArraySlice<UInt8>) {
    for purpose in node?.elements(.sequence) ?? [] {
      guard let identifier = purpose.primitive(.objectIdentifier) else { return invalid("Extended Key Usage", bytes) }
      text("Purpose", ASN1Node.objectIdentifierText(identifier))
    }
    if node?.elements(.sequence) == nil { invalid("Extended Key Usage", bytes) }
  }

  private mutating func access(_ node: ASN1Node?, _ bytes: ArraySlice<UInt8>) {
    let label = "Authority Information Access"
    guard let descriptions = node?.elements(.sequence) else { return invalid(label, bytes) }
    for description in descriptions {
      guard let parts = description.elements(.sequence), parts.count == 2,
        let method = parts[0].primitive(.objectIdentifier)
      else { return invalid(label, bytes) }
      text("Access Method", ASN1Node.objectIdentifierText(method))
      generalName(parts[1])
    }
  }

  /// Adds the names of the bits that are set in a BIT STRING of one or two bytes, with commas between.
  mutating func bitNames(_ label: String, _ node: ASN1Node?, _ bytes: ArraySlice<UInt8>, _ names: [String]) {
    guard let content = node?.primitive(.bitString) else { return invalid(label, bytes) }
    bitNames(label, content: content, names)
  }

  /// Adds the names of the bits in the content of a BIT STRING.
  mutating func bitNames(_ label: String, content: ArraySlice<UInt8>, _ names: [String]) {
    guard let bits = CertificateDocument.bits(content), bits.count <= names.count else {
      return invalid(label, content)
    }
    text(label, zip(bits, names).filter(\.0).map(\.1).joined(separator: ", "))
  }

  private static let usages = [
    "Digital Signature", "Non-Repudiation", "Key Encipherment", "Data Encipherment", "Key Agreement", "Cert Sign",
    "CRL Sign", "Encipher Only", "Decipher Only",
  ]
  private static let netscapeTypes = [
    "SSL client", "SSL server", "S/MIME", "Object Signing", "Reserved", "SSL CA", "S/MIME CA", "Object Signing CA",
  ]
}

extension ArraySlice<ASN1Node> {
  /// Removes the first node if it has this context-specific tag.
  mutating func popFirst(tagged number: UInt) -> ASN1Node? {
    guard first?.identifier == ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific) else { return nil }
    return popFirst()
  }
}
