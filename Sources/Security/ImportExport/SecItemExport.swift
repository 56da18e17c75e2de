public import Foundation
import LatchkeyByteCoding
internal import LatchkeyEnclaveKeys
internal import LatchkeyPKCS12

/// Writes certificates, keys and identities as data (Apple, SecImportExport.h; macOS).
///
/// Formats: `formatX509Cert` for a certificate; `formatOpenSSL`, `formatBSAFE`, `formatWrappedPKCS8` and, for public keys,
/// `formatSSHv2` for a key; `formatPEMSequence` and `formatPKCS12` for any number of items; `formatPKCS7` for any number of
/// certificates, which come back sorted by their bytes. `formatUnknown` is `formatX509Cert`, `formatOpenSSL`, or for several items
/// `formatPEMSequence`. An identity is a certificate and a key. Private keys in other formats than PKCS #12 and `formatWrappedPKCS8`
/// are not encrypted: protect the result.
///
/// - Parameters:
///   - secItemOrArray: a `SecCertificate`, `SecKey` or `SecIdentity`, or an array of them.
///   - flags: `pemArmour` for PEM.
///   - keyParams: the passphrase of `formatPKCS12` and `formatWrappedPKCS8`.
/// - Returns: `errSecSuccess`; `errSecInvalidItemRef` for other objects; `errSecParam` for no item, for several in a format of one,
///   or for a key or an identity in `formatPKCS7`; `errSecUnsupportedFormat` for a format that the item does not have;
///   `errSecPassphraseRequired` without a passphrase, or with an empty one; `errSecKeyIsSensitive` for a private key of the enclave, which never leaves it.
@discardableResult
public func SecItemExport(
  _ secItemOrArray: CFTypeRef, _ outputFormat: SecExternalFormat, _ flags: SecItemImportExportFlags,
  _ keyParams: UnsafePointer<SecItemImportExportKeyParameters>?, _ exportedData: UnsafeMutablePointer<CFData?>
) -> OSStatus {
  do throws(ImportFault) {
    let parameters = try KeyTransferParameters(keyParams)
    let items = try ExportedItem.all(in: secItemOrArray)
    guard !items.isEmpty else { throw ImportFault(status: errSecParam) }
    var bytes = try ExportedItem.data(items, as: outputFormat, isPEM: flags.contains(.pemArmour), parameters)
    defer { bytes.wipe() }
    exportedData.pointee = bytes.object
    return errSecSuccess
  } catch {
    return error.status
  }
}

/// A certificate or a key to export.
enum ExportedItem {
  case certificate(SecCertificate)
  case publicKey(PublicKey)
  case privateKey(PrivateKey)

  /// The items of an object or of an array.
  static func all(in object: CFTypeRef) throws(ImportFault) -> [ExportedItem] {
    guard let array = object as? NSArray else { return try items(of: object) }
    var all: [ExportedItem] = []
    for object in array { all += try items(of: object as AnyObject) }
    return all
  }

  private static func items(of object: AnyObject) throws(ImportFault) -> [ExportedItem] {
    switch object {
    case let certificate as SecCertificate: return [.certificate(certificate)]
    case let key as SecKey: return [try ExportedItem(key)]
    case let identity as SecIdentity: return [.certificate(identity.certificate), try ExportedItem(identity.key)]
    default: throw ImportFault(status: errSecInvalidItemRef)
    }
  }

  private init(_ key: SecKey) throws(ImportFault) {
    switch key.kind {
    case .public(let key): self = .publicKey(key)
    case .private(let key): self = .privateKey(key)
    case .enclave: throw ImportFault(status: errSecKeyIsSensitive)
    }
  }

  /// The data of items. The caller wipes it.
  static func data(
    _ items: [ExportedItem], as format: SecExternalFormat, isPEM: Bool, _ parameters: KeyTransferParameters
  ) throws(ImportFault) -> [UInt8] {
    switch (format, items.count) {
    case (.formatPEMSequence, _), (.formatUnknown, 2...):
      var text: [UInt8] = []
      for item in items {
        var block = try item.encoded(as: .formatUnknown, parameters)
        defer { block.bytes.wipe() }
        text = appended(text, block.encodedText)
      }
      return text
    case (.formatPKCS12, _):
      return armored(PEMDocument(label: "PKCS12", bytes: try file(items, parameters)), isPEM)
    case (.formatPKCS7, _): return armored(PEMDocument(label: "PKCS7", bytes: try message(items)), isPEM)
    case (.formatNetscapeCertSequence, _): throw ImportFault(status: errSecUnsupportedFormat)
    case (_, 1): return armored(try items[0].encoded(as: format, parameters), isPEM)
    default: throw ImportFault(status: errSecParam)
    }
  }

  /// Appends secret text in a new array of the right size, and wipes the parts.
  private static func appended(_ text: [UInt8], _ more: [UInt8]) -> [UInt8] {
    var (text, more) = (text, more)
    defer {
      text.wipe()
      more.wipe()
    }
    var joined: [UInt8] = []
    joined.reserveCapacity(text.count + more.count)
    joined += text
    joined += more
    return joined
  }

  private static func armored(_ block: PEMDocument, _ isPEM: Bool) -> [UInt8] {
    guard isPEM, !block.label.isEmpty else { return block.bytes }
    var block = block
    defer { block.bytes.wipe() }
    return block.encodedText
  }

  /// The item in a format of one item, with its label in PEM; a line of OpenSSH has none.
  private func encoded(
    as format: SecExternalFormat, _ parameters: KeyTransferParameters
  ) throws(ImportFault) -> PEMDocument {
    switch (self, format) {
    case (.certificate(let certificate), .formatUnknown), (.certificate(let certificate), .formatX509Cert):
      return PEMDocument(label: "CERTIFICATE", bytes: certificate.der)
    case (.certificate, _), (_, .formatX509Cert): throw ImportFault(status: errSecParam)
    case (.publicKey(let key), .formatUnknown), (.publicKey(let key), .formatOpenSSL):
      return PEMDocument(label: "PUBLIC KEY", bytes: key.derRepresentation)
    case (.publicKey(let key), .formatBSAFE) where key.family == .rsa:
      return PEMDocument(label: "RSA PUBLIC KEY", bytes: key.externalRepresentation)
    case (.publicKey(let key), .formatSSHv2):
      return PEMDocument(label: "", bytes: Array((key.openSSHRepresentation() + "\n").utf8))
    case (.privateKey(let key), .formatUnknown), (.privateKey(let key), .formatOpenSSL):
      let label = key.publicKey.family == .rsa ? "RSA PRIVATE KEY" : "EC PRIVATE KEY"
      return PEMDocument(label: label, bytes: key.traditionalRepresentation)
    case (.privateKey(let key), .formatBSAFE):
      return PEMDocument(label: "PRIVATE KEY", bytes: key.pkcs8Representation)
    case (.privateKey(let key), .formatWrappedPKCS8):
      var plain = key.pkcs8Representation
      defer { plain.wipe() }
      let passphrase = try parameters.neededPassphrase()
      let encrypted = try Self.encrypted { () throws(PKCS12Error) in
        try EncryptedPrivateKey.encrypt(plain, password: passphrase, random: Self.random)
      }
      return PEMDocument(label: "ENCRYPTED PRIVATE KEY", bytes: encrypted)
    default: throw ImportFault(status: errSecUnsupportedFormat)
    }
  }

  /// A message of PKCS #7 with the certificates.
  private static func message(_ items: [ExportedItem]) throws(ImportFault) -> [UInt8] {
    var certificates: [[UInt8]] = []
    for item in items {
      guard case .certificate(let certificate) = item else { throw ImportFault(status: errSecParam) }
      certificates.append(certificate.der)
    }
    return CMSSignedData.encoded(certificates)
  }

  /// A PKCS #12 file of the certificates and the private keys.
  private static func file(
    _ items: [ExportedItem], _ parameters: KeyTransferParameters
  ) throws(ImportFault) -> [UInt8] {
    let passphrase = try parameters.neededPassphrase()
    var file = PKCS12File()
    defer { file.wipeKeys() }
    for item in items {
      switch item {
      case .certificate(let certificate):
        let name = SubjectSummary.text(of: certificate.fields)
        file.certificates.append(PKCS12File.Certificate(der: certificate.der, friendlyName: name))
      case .privateKey(let key): file.keys.append(PKCS12File.Key(pkcs8: key.pkcs8Representation))
      case .publicKey: throw ImportFault(status: errSecUnsupportedFormat)
      }
    }
    return try encrypted { () throws(PKCS12Error) in try file.encoded(password: passphrase, random: random) }
  }

  private static func encrypted(_ body: () throws(PKCS12Error) -> [UInt8]) throws(ImportFault) -> [UInt8] {
    do {
      return try body()
    } catch {
      // The password is empty, or has a zero in it.
      if case .misuse = error { throw ImportFault(status: errSecPassphraseRequired) }
      throw ImportFault(error)
    }
  }

  private static func random(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }
}
