internal import Foundation
import LatchkeyByteCoding
internal import LatchkeyEnclaveKeys
internal import LatchkeyPKCS12

/// The items of imported data, and what the data is.
struct ImportedItems {
  /// Certificates, keys and identities, in the order of the data.
  private(set) var objects: [AnyObject] = []
  let format: SecExternalFormat
  let type: SecExternalItemType

  /// The maximum length of the data, as of a PKCS #12 file.
  static let longest = PKCS12Limits().fileSize

  /// Reads PEM, or one item in another form.
  ///
  /// - Parameters:
  ///   - format: what the caller expects; ignored for PEM, whose labels say it.
  ///   - type: likewise.
  init(
    _ bytes: [UInt8], format: SecExternalFormat, type: SecExternalItemType, _ parameters: KeyTransferParameters
  ) throws(ImportFault) {
    var pieces = try Self.pieces(bytes)
    defer { if pieces.isPEM { for index in pieces.items.indices { pieces.items[index].wipe() } } }
    var forms: [ExternalForm] = []
    for piece in pieces.items {
      guard let form = ExternalForm(piece), pieces.isPEM || form.matches(format, type) else {
        throw ImportFault(status: errSecUnknownFormat)
      }
      forms.append(form)
    }
    guard let first = forms.first else { throw ImportFault(status: errSecUnknownFormat) }
    (self.format, self.type) = forms.count > 1 ? (.formatPEMSequence, .itemTypeAggregate) : first.description
    for (form, piece) in zip(forms, pieces.items) { try add(piece, form, parameters) }
  }

  /// The blocks of PEM that hold an item, or the data as a whole.
  private static func pieces(_ bytes: [UInt8]) throws(ImportFault) -> (items: [[UInt8]], isPEM: Bool) {
    guard bytes.first != 0x30, let text = String(validating: bytes, as: UTF8.self), text.contains("-----BEGIN ") else {
      return ([bytes], false)
    }
    var items: [[UInt8]] = []
    do throws(KeyError) {
      for block in try PEMDocument.decode(text, longest: longest) {
        switch block.label {
        case "CERTIFICATE", "X509 CERTIFICATE", "PUBLIC KEY", "RSA PUBLIC KEY", "EC PUBLIC KEY", "PRIVATE KEY",
          "RSA PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "PKCS12", "PKCS7", "PKCS #7 SIGNED DATA", "CMS":
          items.append(block.bytes)
        case "OPENSSH PRIVATE KEY", "TRUSTED CERTIFICATE": throw .unsupported(block.label)
        // Parameters, requests, revocation lists.
        default: continue
        }
      }
    } catch {
      for index in items.indices { items[index].wipe() }
      throw ImportFault(error)
    }
    return (items, true)
  }

  private mutating func add(
    _ bytes: [UInt8], _ form: ExternalForm, _ parameters: KeyTransferParameters
  ) throws(ImportFault) {
    switch form {
    case .certificate: try addCertificate(bytes)
    case .publicKey, .rsaPublicKey, .openSSH:
      let key = try Self.key { () throws(KeyError) in try PublicKey(fileContents: bytes) }
      objects.append(SecKey(.public(key), attributes: parameters.usage))
    case .privateKey, .traditionalPrivateKey: objects.append(try Self.privateKey(bytes, parameters))
    case .encryptedPrivateKey:
      let passphrase = try parameters.neededPassphrase()
      var plain = try Self.file { () throws(PKCS12Error) in
        try EncryptedPrivateKey.decrypt(bytes, password: passphrase)
      }
      defer { plain.wipe() }
      objects.append(try Self.privateKey(plain, parameters))
    case .pkcs12: try addFile(bytes, parameters)
    case .pkcs7: try addCertificates(bytes)
    }
  }

  private mutating func addCertificate(_ der: [UInt8]) throws(ImportFault) {
    guard let certificate = SecCertificate(der: der) else { throw ImportFault(status: errSecDecode) }
    objects.append(certificate)
  }

  /// Adds the identities of a PKCS #12 file, then the certificates that belong to none.
  private mutating func addFile(_ bytes: [UInt8], _ parameters: KeyTransferParameters) throws(ImportFault) {
    let passphrase = try parameters.neededPassphrase()
    var file = try Self.file { () throws(PKCS12Error) in try PKCS12File(reading: bytes, password: passphrase) }
    defer { file.wipeKeys() }
    var own: Set<[UInt8]> = []
    var used: Set<[UInt8]> = []
    for found in file.identities {
      let key = try Self.privateKey(found.key.pkcs8, parameters)
      guard let certificate = SecCertificate(der: found.certificate.der),
        let identity = SecIdentity(certificate: certificate, key: key)
      else { throw ImportFault(status: errSecDecode) }
      own.insert(certificate.der)
      used.insert(key.publicBytes)
      objects.append(identity)
    }
    for found in file.certificates where !own.contains(found.der) { try addCertificate(found.der) }
    for found in file.keys {
      let key = try Self.privateKey(found.pkcs8, parameters)
      if !used.contains(key.publicBytes) { objects.append(key) }
    }
  }

  /// Adds the certificates of a message of PKCS #7 or CMS.
  private mutating func addCertificates(_ message: [UInt8]) throws(ImportFault) {
    let found: [[UInt8]]?
    do {
      found = try CMSSignedData.certificates(in: message)
    } catch {
      if case .unsupported = error { throw ImportFault(status: errSecUnsupportedFormat) }
      throw ImportFault(error)
    }
    // As macOS answers for a message without a list of certificates.
    guard let found else { throw ImportFault(status: errSecUnknownFormat) }
    for der in found { try addCertificate(der) }
  }

  private static func privateKey(_ bytes: [UInt8], _ parameters: KeyTransferParameters) throws(ImportFault) -> SecKey {
    let key = try key { () throws(KeyError) in try PrivateKey(derRepresentation: bytes) }
    return SecKey(.private(key), attributes: parameters.usage)
  }

  private static func key<Key>(_ body: () throws(KeyError) -> Key) throws(ImportFault) -> Key {
    do {
      return try body()
    } catch {
      throw ImportFault(error)
    }
  }

  private static func file<File>(_ body: () throws(PKCS12Error) -> File) throws(ImportFault) -> File {
    do {
      return try body()
    } catch {
      throw ImportFault(status: error == .wrongPassword ? errSecPkcs12VerifyFailure : ImportFault(error).status)
    }
  }
}

extension ImportFault {
  /// Maps the error of a key: what is not supported is said to be so.
  init(_ error: KeyError) {
    if case .unsupported = error { status = errSecUnsupportedFormat } else { status = errSecDecode }
  }
}
