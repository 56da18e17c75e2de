public import Foundation
internal import LatchkeyByteCoding
internal import LatchkeyEnclaveKeys
internal import LatchkeyKeychainModel
internal import LatchkeyPKCS12

/// Reads the identities of a PKCS#12 file (Apple, SecImportExport.h; RFC 7292).
///
/// Of `options` counts `kSecImportExportPassphrase`, a string, without which the empty password and none are tried. Nothing
/// is stored, whatever the others say, as on iOS: what is returned is in memory, and ``SecItemAdd(_:_:)`` takes it
/// (`kSecValueRef`).
///
/// `items` becomes an array of dictionaries, one for each key with a certificate, in the order of the keys:
/// `kSecImportItemIdentity` (`SecIdentity`), `kSecImportItemTrust` (`SecTrust`, by the rules of X.509 alone),
/// `kSecImportItemCertChain` (an array of `SecCertificate`, the identity's first), `kSecImportItemLabel` (the file's name
/// for it, else that of the certificate) and `kSecImportItemKeyID` (the SHA-1 of the public key). Certificates that belong
/// to no key are left out. A failed call leaves `items` as it was.
///
/// - Returns: `errSecSuccess`; `errSecAuthFailed` for a wrong password, a missing one, or a file that was altered;
///   `errSecDecode` for what is no such file, asks for more than is reasonable, is not protected by a password, or has
///   ciphers or keys that there are none of here; `errSecParam` for a password that is no string.
@discardableResult
public func SecPKCS12Import(
  _ pkcs12_data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
  do throws(ImportFault) {
    let imported = try ImportedIdentity.all(in: pkcs12_data, options)
    items.pointee = imported.map(\.dictionary) as NSArray
    return errSecSuccess
  } catch {
    return error.status
  }
}

/// Why a file was not imported.
struct ImportFault: Error {
  let status: OSStatus
}

/// A key of a file with its certificate, and what leads from that to a root.
struct ImportedIdentity {
  let identity: SecIdentity
  let chain: [SecCertificate]
  let label: String

  /// The identities of a file.
  static func all(in data: CFData, _ options: CFDictionary) throws(ImportFault) -> [ImportedIdentity] {
    let limits = PKCS12Limits()
    guard data.length <= limits.fileSize else { throw ImportFault(status: errSecDecode) }
    var password: String?
    if let given = options.object(forKey: kSecImportExportPassphrase) {
      guard let text = given as? String else { throw ImportFault(status: errSecParam) }
      password = text
    }
    var file: PKCS12File
    do {
      file = try PKCS12File(reading: [UInt8](data as Data), password: password, limits: limits)
    } catch {
      throw ImportFault(error)
    }
    defer { file.wipeKeys() }
    var imported: [ImportedIdentity] = []
    for identity in file.identities { imported.append(try ImportedIdentity(identity)) }
    return imported
  }

  private init(_ found: PKCS12File.Identity) throws(ImportFault) {
    guard let certificate = SecCertificate(der: found.certificate.der),
      let key = try? PrivateKey(derRepresentation: found.key.pkcs8),
      let identity = SecIdentity(certificate: certificate, key: SecKey(.private(key)))
    else { throw ImportFault(status: errSecDecode) }
    self.identity = identity
    var chain = [certificate]
    for issuer in found.chain {
      guard let issuer = SecCertificate(der: issuer.der) else { throw ImportFault(status: errSecDecode) }
      chain.append(issuer)
    }
    self.chain = chain
    label =
      found.certificate.friendlyName ?? found.key.friendlyName ?? SubjectSummary.text(of: certificate.fields) ?? ""
  }

  /// What callers are handed.
  var dictionary: NSDictionary {
    var entries = DictionaryEntries(capacity: 5)
    entries.set(kSecImportItemIdentity, identity)
    entries.set(
      kSecImportItemTrust,
      SecTrust(SecTrust.Parameters(certificates: chain, policies: [SecPolicyCreateBasicX509()])))
    entries.set(kSecImportItemCertChain, chain as NSArray)
    entries.set(kSecImportItemLabel, label as NSString)
    entries.set(kSecImportItemKeyID, Data(identity.key.applicationLabel) as NSData)
    return entries.dictionary
  }
}

extension ImportFault {
  /// What callers are told: as iOS, which knows these two alone (Security-61901, SecImportExport.c).
  init(_ error: PKCS12Error) {
    switch error {
    case .wrongPassword: status = errSecAuthFailed
    case .malformed, .unsupported, .notAuthenticated, .tooLarge: status = errSecDecode
    case .misuse: status = errSecParam
    }
  }
}
