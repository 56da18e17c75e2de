public import Foundation
internal import LatchkeyByteCoding
import SwiftASN1

/// What a certificate says, for people (Apple, SecCertificate.h; macOS): a dictionary by object identifiers as texts, `kSecOID…`.
/// Each value is a dictionary with `kSecPropertyKeyType`, `kSecPropertyKeyLabel`, `kSecPropertyKeyLocalizedLabel` and
/// `kSecPropertyKeyValue`. Labels are in English.
///
/// There are the fields (`kSecOIDX509V1SubjectName`, `…IssuerName`, `…Version`, `…SerialNumber`, `…SignatureAlgorithm`,
/// `…ValidityNotBefore`, `…ValidityNotAfter`, `…SubjectPublicKeyAlgorithm`, `…SubjectPublicKey`, `…Signature`), each extension by its
/// identifier, `kSecOIDCommonName` and `kSecOIDEmailAddress`, `"DNSNAMES"`, `"IPADDRESSES"` and `"Fingerprints"`. The start and the
/// end of the validity are numbers, seconds since 2001-01-01 00:00:00 UTC; `kSecOIDKeyUsage` is the number of a ``SecKeyUsage``,
/// and `kSecOIDExtendedKeyUsage` an array of encoded identifiers.
///
/// - Parameter keys: the keys to return, strings; nil returns all.
/// - Returns: nil with `errSecParam` for a key that is not a string, and with `errSecInvalidCertificateRef` for a certificate
///   with more than 16,384 properties.
@discardableResult
public func SecCertificateCopyValues(
  _ certificate: SecCertificate, _ keys: CFArray?, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFDictionary? {
  answer(error) { () throws(KeyFault) in
    var wanted: Set<String>?
    if let keys {
      guard let names = keys as? [String] else { throw KeyFault(errSecParam, "the keys are strings, kSecOID…") }
      wanted = Set(names)
    }
    let now = Date().timeIntervalSinceReferenceDate
    return try CertificateValues(certificate).dictionary(now: now, only: wanted)
  }
}

/// Collects the values of a certificate. Of values with the same key the first is kept, as in CertificateValues.cpp of
/// Security-61901: so the summaries of the extensions come before the extensions.
struct CertificateValues {
  private let certificate: SecCertificate
  private let document: CertificateDocument
  private let budget = CertificatePropertyWriter.Budget(CertificatePropertyWriter.most)

  init(_ certificate: SecCertificate) throws(KeyFault) {
    self.certificate = certificate
    guard let document = CertificateDocument(der: certificate.der) else {
      throw KeyFault(errSecInvalidCertificateRef, "the certificate cannot be read")
    }
    self.document = document
  }

  func dictionary(now: Double, only wanted: Set<String>?) throws(KeyFault) -> NSDictionary {
    var values: [String: CertificateProperty] = [:]
    for property in summaries + fields(now: now) {
      guard let label = property.label else { continue }
      let key = Self.keys[label] ?? label
      if values[key] == nil { values[key] = property }
    }
    guard !budget.isExceeded else {
      throw KeyFault(
        errSecInvalidCertificateRef, "the certificate has more than \(CertificatePropertyWriter.most) properties")
    }
    var entries = DictionaryEntries(capacity: values.count)
    for (key, property) in values where wanted?.contains(key) ?? true {
      entries.set(key as NSString, property.dictionary)
    }
    return entries.dictionary
  }

  /// The values that are summaries of others.
  private var summaries: [CertificateProperty] {
    let fields = certificate.fields
    var writer = CertificatePropertyWriter(budget)
    func list(_ label: String, _ texts: [String]?) {
      if let texts, !texts.isEmpty { writer.add(label, .texts(texts)) }
    }
    list("CN", fields.subject.texts(of: .commonName))
    list("DNS", fields.hosts)
    list("IP", addresses)
    list("Email", fields.mailAddresses)
    writer.add("Not Valid Before", .number(NSNumber(value: fields.notBefore)))
    writer.add("Not Valid After", .number(NSNumber(value: fields.notAfter)))
    writer.add("Key Usage", .number(NSNumber(value: keyUsage.rawValue)))
    let purposes = (document.node(of: .extendedKeyUsage)?.elements(.sequence) ?? []).compactMap {
      $0.primitive(.objectIdentifier)
    }
    if !purposes.isEmpty { writer.add("Extended Key Usage", .datas(purposes.map { Array($0) })) }
    return writer.properties
  }

  private var addresses: [String] {
    let names = document.node(of: .subjectAlternativeName)?.elements(.sequence) ?? []
    let tag = ASN1Identifier(tagWithNumber: 7, tagClass: .contextSpecific)
    return names.compactMap { $0.primitive(tag).flatMap(CertificatePropertyWriter.addressText) }
  }

  private var keyUsage: SecKeyUsage {
    guard let found = document.extensions.first(where: { $0.identifier == .keyUsage }),
      let bits = document.node(of: .keyUsage)?.primitive(.bitString).flatMap(CertificateDocument.bits)
    else { return [] }
    let set = bits.prefix(9).enumerated().filter(\.element).map { SecKeyUsage(rawValue: 1 << $0.offset) }
    return SecKeyUsage(set).union(found.isCritical ? .critical : [])
  }

  /// The fields and the extensions, in Apple's order.
  private func fields(now: Double) -> [CertificateProperty] {
    let fields = certificate.fields
    var writer = CertificatePropertyWriter(budget)
    writer.section("Subject Name") { $0.name(document.subject) }
    writer.section("Issuer Name") { $0.name(document.issuer) }
    writer.text("Version", String(fields.version))
    writer.text("Serial Number", ASN1Node.integerText(fields.serialNumber[...]))
    writer.algorithm("Signature Algorithm", document.signatureAlgorithm)
    if let identifier = document.subjectUniqueID { writer.data("Subject Unique ID", identifier.dropFirst()) }
    if let identifier = document.issuerUniqueID { writer.data("Issuer Unique ID", identifier.dropFirst()) }
    writer.algorithm("Public Key Algorithm", document.keyAlgorithm)
    writer.data("Public Key Data", fields.publicKey)
    writer.data("Signature", document.signature)
    for found in document.extensions { writer.certificateExtension(found) }
    writer.section("Fingerprints") { section in
      section.data("SHA-256", certificate.digest)
      section.data("SHA-1", certificate.legacyDigest)
    }
    let (label, date) =
      now > fields.notAfter
      ? ("Expired", fields.notAfter)
      : now < fields.notBefore ? ("Valid from", fields.notBefore) : ("Expires", fields.notAfter)
    writer.add(label, .date(date))
    return writer.properties
  }

  /// The keys of properties whose label is not their key.
  private static let keys: [String: String] = [
    "CN": kSecOIDCommonName, "DNS": "DNSNAMES", "IP": "IPADDRESSES", "Email": kSecOIDEmailAddress,
    "Key Usage": kSecOIDKeyUsage, "Extended Key Usage": kSecOIDExtendedKeyUsage,
    "Subject Name": kSecOIDX509V1SubjectName, "Issuer Name": kSecOIDX509V1IssuerName, "Version": kSecOIDX509V1Version,
    "Serial Number": kSecOIDX509V1SerialNumber, "Signature Algorithm": kSecOIDX509V1SignatureAlgorithm,
    "Subject Unique ID": kSecOIDX509V1CertificateSubjectUniqueId,
    "Issuer Unique ID": kSecOIDX509V1CertificateIssuerUniqueId,
    "Public Key Algorithm": kSecOIDX509V1SubjectPublicKeyAlgorithm,
    "Public Key Data": kSecOIDX509V1SubjectPublicKey, "Signature": kSecOIDX509V1Signature,
    "Not Valid Before": kSecOIDX509V1ValidityNotBefore, "Not Valid After": kSecOIDX509V1ValidityNotAfter,
    "Expires": kSecOIDInvalidityDate,
  ].mapValues { $0 as String }
}

extension CertificatePropertyWriter {
  /// Adds an AlgorithmIdentifier.
  fileprivate mutating func algorithm(_ label: String, _ node: ASN1Node) {
    section(label) { section in
      let parts = node.elements(.sequence) ?? []
      guard let identifier = parts.first?.primitive(.objectIdentifier) else {
        return section.invalid(label, node.encodedBytes)
      }
      section.text("Algorithm", ASN1Node.objectIdentifierText(identifier))
      guard parts.count > 1 else { return }
      if parts[1].identifier == .null {
        section.text("Parameters", "none")
      } else {
        section.unparsed("Parameters", parts[1].encodedBytes)
      }
    }
  }
}
