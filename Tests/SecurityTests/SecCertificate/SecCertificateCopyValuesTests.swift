import Foundation
import Security
import Testing

/// The values of certificates, as OpenSSL prints them (`x509 -text`) in the labels and types of Apple's SecCertificate.c.
@Suite("Values of a certificate")
struct SecCertificateCopyValuesTests {
  private typealias Values = [String: [String: Any]]

  private func values(_ der: Data, _ keys: [CFString]? = nil) throws -> Values {
    let certificate = try #require(SecCertificateCreateWithData(nil, der as CFData))
    var error: Unmanaged<CFError>?
    let found = SecCertificateCopyValues(certificate, keys.map { $0 as CFArray }, &error)
    #expect(error == nil)
    return try #require(found as? Values)
  }

  /// A property as lines: label, type and value, the elements of a section below it.
  private func lines(_ property: [String: Any]?, indent: String = "") -> [String] {
    guard let property, let type = property["type"] as? String else { return ["\(indent)no property"] }
    let label = property["label"] as? String ?? "-"
    #expect(property["localized label"] as? String ?? "-" == label)
    switch property["value"] {
    case let section as [[String: Any]] where type == "section":
      return ["\(indent)\(label):"] + section.flatMap { lines($0, indent: indent + "  ") }
    case let text as String where type == "string": return ["\(indent)\(label) = \(text)"]
    case let url as URL where type == "url": return ["\(indent)\(label) = <\(url.absoluteString)>"]
    case let data as Data where type == "data": return ["\(indent)\(label) = \(data.map { hex($0) }.joined())"]
    default: return ["\(indent)\(label) is no \(type)"]
    }
  }

  private func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

  private func text(_ property: [String: Any]?) -> String { lines(property).joined(separator: "\n") }

  @Test("Fields have the labels and types of Apple's")
  func fields() throws {
    let values = try values(CertificateFixture.rsa.der)
    #expect(
      text(values[kSecOIDX509V1SubjectName as String]) == """
        Subject Name:
          2.5.4.6 = DE
          2.5.4.10 = Example Works
          2.5.4.3 = RSA Example
        """)
    #expect(text(values[kSecOIDX509V1IssuerName as String]).hasPrefix("Issuer Name:\n  2.5.4.6 = DE"))
    #expect(text(values[kSecOIDX509V1Version as String]) == "Version = 3")
    #expect(
      text(values[kSecOIDX509V1SerialNumber as String])
        == "Serial Number = 00 C0 FF EE 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10")
    #expect(
      text(values[kSecOIDX509V1SignatureAlgorithm as String]) == """
        Signature Algorithm:
          Algorithm = 1.2.840.113549.1.1.11
          Parameters = none
        """)
    #expect(
      text(values[kSecOIDX509V1SubjectPublicKeyAlgorithm as String])
        == "Public Key Algorithm:\n  Algorithm = 1.2.840.113549.1.1.1\n  Parameters = none")
    #expect(
      text(values["Fingerprints"]) == """
        Fingerprints:
          SHA-256 = a1848ba754061bb6cbe9e2e02b73f208ae6245fb7fd2baafd2fdf3cf369358ff
          SHA-1 = a41fdb14df2f0ca9d6fcfd85e3666bcde5aa8a25
        """)
    let key = values[kSecOIDX509V1SubjectPublicKey as String]?["value"] as? Data
    #expect(key?.count == 270)
    let signature = values[kSecOIDX509V1Signature as String]?["value"] as? Data
    #expect(signature?.count == 256 && signature?.first == 0x22)
  }

  @Test("Dates are numbers since 2001, and the end once more as a date")
  func dates() throws {
    let values = try values(CertificateFixture.far.der)
    let start = values[kSecOIDX509V1ValidityNotBefore as String]
    #expect(start?["type"] as? String == "number")
    #expect(start?["value"] as? Double == Date(timeIntervalSince1970: 1_795_290_628).timeIntervalSinceReferenceDate)
    let end = values[kSecOIDX509V1ValidityNotAfter as String]?["value"] as? Double
    #expect(end == Date(timeIntervalSince1970: 3_609_690_628).timeIntervalSinceReferenceDate)
    let dates = ["Expired", "Valid from", kSecOIDInvalidityDate as String].compactMap { values[$0] }
    #expect(dates.count == 1 && dates[0]["type"] as? String == "date" && dates[0]["value"] is Date)
  }

  @Test("Summaries stand under their own keys: names, hosts, addresses, usages")
  func summaries() throws {
    let values = try values(CertificateValuesFixture.full)
    func array(_ key: CFString) -> [String]? { values[key as String]?["value"] as? [String] }
    #expect(array(kSecOIDCommonName) == ["full.example.org"])
    #expect(array(kSecOIDEmailAddress) == ["ada@example.org"])
    #expect(array("DNSNAMES") == ["full.example.org"])
    #expect(array("IPADDRESSES") == ["192.0.2.1", "2001:0DB8:0000:0000:0000:0000:0000:0001"])
    for key in [kSecOIDCommonName, "DNSNAMES"] { #expect(values[key as String]?["type"] as? String == "array") }
    let usage = values[kSecOIDKeyUsage as String]?["value"] as? UInt32
    #expect(
      usage.map { SecKeyUsage(rawValue: $0) }
        == [.digitalSignature, .keyAgreement, .keyCertSign, .crlSign, .decipherOnly, .critical])
    let purposes = values[kSecOIDExtendedKeyUsage as String]?["value"] as? [Data]
    #expect(purposes?.first == Data([0x2B, 6, 1, 5, 5, 7, 3, 1]) && purposes?.count == 3)
    let none = try self.values(CertificateFixture.v1.der)
    #expect(none[kSecOIDKeyUsage as String]?["value"] as? UInt32 == 0)
    #expect(none[kSecOIDExtendedKeyUsage as String] == nil && none["DNSNAMES"] == nil)
  }

  /// Each extension, as it must be printed.
  private static let expected: [String: String] = {
    var lines: [String: String] = [:]
    lines[kSecOIDSubjectKeyIdentifier as String] =
      "  Critical = No\n  Key Identifier = 89acbc65fa80dd4e7b827cfbf79871c6e82bf18b"
    lines[kSecOIDAuthorityKeyIdentifier as String] = """
        Critical = No
        Directory Name:
          2.5.4.6 = NO
          2.5.4.10 = Full Works
          2.5.4.3 = full.example.org
        Authority Certificate Serial Number = 4660
      """
    lines[kSecOIDBasicConstraints as String] =
      "  Critical = Yes\n  Certificate Authority = Yes\n  Path Length Constraint = 3"
    lines[kSecOIDSubjectAltName as String] = """
        Critical = No
        DNS Name = full.example.org
        Email Address = ada@example.org
        URI = <https://example.org/a?b=c>
        IP Address = 192.0.2.1
        IP Address = 2001:0DB8:0000:0000:0000:0000:0000:0001
        Registered ID = 1.2.3.4
        Directory Name:
          2.5.4.6 = NO
          2.5.4.3 = Directory
        1.2.3.5 = some other
      """
    lines[kSecOIDIssuerAltName as String] = "  Critical = No\n  DNS Name = issuer.example.org"
    lines[kSecOIDAuthorityInfoAccess as String] = """
        Critical = No
        Access Method = 1.3.6.1.5.5.7.48.1
        URI = <http://ocsp.example.org/>
        Access Method = 1.3.6.1.5.5.7.48.2
        URI = <http://ca.example.org/ca.der>
      """
    lines[kSecOIDCrlDistributionPoints as String] = """
        Critical = No
        URI = <http://crl.example.org/a.crl>
        Reasons = Key Compromise, CA Compromise
        CRL Issuer:
          Directory Name:
            2.5.4.6 = NO
            2.5.4.3 = Directory
      """
    lines[kSecOIDCertificatePolicies as String] = """
        Critical = No
        Policy Identifier #1 = 1.2.3.6
        Policy Identifier #2 = 1.2.3.9
        Policy Qualifier #1 = 1.3.6.1.5.5.7.2.1
        CPS URI = <https://example.org/cps>
        Policy Qualifier #2 = 1.3.6.1.5.5.7.2.2
        Organization = Full Works
        Notice Numbers = 1, 2
        Explicit Text = Mind this
      """
    lines[kSecOIDNameConstraints as String] = """
        Critical = No
        Permitted Subtree General Name:
          DNS Name = example.org
        Excluded Subtree General Name:
          Unparsed IP Address = 0a000000ff000000
      """
    lines[kSecOIDPolicyConstraints as String] =
      "  Critical = No\n  Require Explicit Policy = 2\n  Inhibit Policy Mapping = 0"
    lines[kSecOIDNetscapeCertType as String] = "  Critical = No\n  Usage = SSL server, SSL CA"
    lines["1.2.3.7"] = "  Critical = No\n  Data = first\n  Data = second"
    lines["1.2.3.8"] = "  Critical = No\n  Unparsed Data = 0102"
    return lines
  }()

  @Test("Extensions are sections, each field as OpenSSL reads it")
  func extensions() throws {
    let values = try values(CertificateValuesFixture.full)
    for (key, expected) in Self.expected { #expect(text(values[key]) == "\(key):\n\(expected)") }
  }

  @Test("Attributes of one set are a section without a label")
  func multiple() throws {
    #expect(
      text(try values(CertificateFixture.multi.der)[kSecOIDX509V1SubjectName as String]) == """
        Subject Name:
          2.5.4.10 = Multi
          -:
            2.5.4.11 = unit
            2.5.4.3 = first
          2.5.4.3 = second
        """)
    #expect(text(try values(CertificateFixture.empty.der)[kSecOIDX509V1SubjectName as String]) == "Subject Name:")
  }

  @Test("Only the keys that are asked for are returned, and unknown ones are left out")
  func chosen() throws {
    let keys: [CFString] = [kSecOIDCommonName, kSecOIDX509V1Version, kSecOIDTitle, "nonsense"]
    let chosen = try values(CertificateFixture.rsa.der, keys)
    #expect(Set(chosen.keys) == [kSecOIDCommonName as String, kSecOIDX509V1Version as String])
    #expect(try values(CertificateFixture.rsa.der, []).isEmpty)
  }

  @Test("A key that is no string is errSecParam")
  func oddKeys() throws {
    let certificate = try #require(SecCertificateCreateWithData(nil, CertificateFixture.rsa.der as CFData))
    for keys in [[7], [kSecOIDCommonName, NSNull()], [Data()]] as [NSArray] {
      var error: Unmanaged<CFError>?
      #expect(SecCertificateCopyValues(certificate, keys, &error) == nil)
      #expect(try #require(error).takeRetainedValue().code == Int(errSecParam))
      #expect(SecCertificateCopyValues(certificate, keys, nil) == nil)
    }
  }

  @Test("Every certificate has values, whatever its names and its key are", arguments: CertificateFixture.all)
  func all(_ fixture: CertificateFixture) throws {
    let values = try values(fixture.der)
    #expect(text(values[kSecOIDX509V1Version as String]) == "Version = \(fixture.version)")
    for property in values.values { #expect(property["type"] is String && property["value"] != nil) }
  }

  @Test("Any byte of a certificate may be wrong: it makes another value, or no certificate, and never a trap")
  func altered() {
    let original = CertificateValuesFixture.full
    for place in original.indices {
      for bit in [0, 7] {
        var bytes = original
        bytes[place] ^= 1 << bit
        guard let certificate = SecCertificateCreateWithData(nil, bytes as CFData) else { continue }
        #expect(SecCertificateCopyValues(certificate, nil, nil) != nil, "\(place) \(bit)")
      }
    }
  }

  @Test("An address that is none is its bytes, and casting the values does not trap")
  func addresses() throws {
    for (address, isOne) in [
      ("https://example.org/cps", true), ("urn:uuid:1", true), ("h*tps://example.org/cps", false),
      ("http://[::1", false),
      ("http://a b/", false), ("http://a:b:c/", false), ("", false), ("http://example.org/\u{e9}", false), ("%", false),
    ] {
      let name = [0x86, UInt8(address.utf8.count)] + Array(address.utf8)
      let values = try values(Data(Self.certificate(alternativeNames: name)))
      let expected = isOne ? "URI = <\(address)>" : "Invalid URI = \(address.utf8.map { hex($0) }.joined())"
      #expect(text(values[kSecOIDSubjectAltName as String]).hasSuffix("\n  \(expected)"), "\(address)")
    }
  }

  @Test("More than 16,384 properties are refused, and as many certificates of an extension are no harm")
  func tooMany() throws {
    for (count, isRefused) in [(16_000, false), (17_000, true)] {
      let names = (0..<count).flatMap { _ in [0x82, 0] as [UInt8] }
      let certificate = try #require(
        SecCertificateCreateWithData(nil, Data(Self.certificate(alternativeNames: names)) as CFData))
      var error: Unmanaged<CFError>?
      #expect((SecCertificateCopyValues(certificate, nil, &error) == nil) == isRefused)
      #expect(error?.takeRetainedValue().code == (isRefused ? Int(errSecInvalidCertificateRef) : nil))
    }
  }

  /// The fixture of version 1 with an extension: these alternative names.
  private static func certificate(alternativeNames names: [UInt8]) -> [UInt8] {
    func item(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
      let count = content.count
      var header: [UInt8] = [tag]
      if count < 0x80 {
        header.append(UInt8(count))
      } else {
        header.append(0x83)
        for shift in [16, 8, 0] { header.append(UInt8(truncatingIfNeeded: count >> shift)) }
        while header[2] == 0 {
          header.remove(at: 2)
          header[1] -= 1
        }
      }
      return header + content
    }
    let empty: [UInt8] = []
    let bits = item(0x03, [0, 1])
    let version = item(0xA0, [2, 1, 2])
    let serialNumber: [UInt8] = [2, 1, 1]
    let algorithm = item(0x30, item(0x06, [0x2A, 0x03]))
    let name = item(0x30, empty)
    let time = item(0x17, Array("260101000000Z".utf8))
    let validity = item(0x30, time + time)
    let key = item(0x30, algorithm + bits)
    let identifier: [UInt8] = [0x06, 3, 0x55, 0x1D, 0x11]
    let value = item(0x04, item(0x30, names))
    let extensions = item(0xA3, item(0x30, item(0x30, identifier + value)))
    var fields: [UInt8] = []
    for field in [version, serialNumber, algorithm, name, validity, name, key, extensions] { fields += field }
    let signed = item(0x30, fields)
    return item(0x30, signed + algorithm + bits)
  }
}
