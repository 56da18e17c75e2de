public import Foundation
internal import LatchkeyByteCoding
internal import LatchkeyEnclaveKeys
internal import LatchkeyKeychainModel
internal import LatchkeyPKCS12

/// Reads the identities of a PKCS#12 file (Apple, SecImportExport.h; RFC 7292).
///
/// The only option with an effect is `kSecImportExportPassphrase`, a string; without it, the empty password and no password
/// are tried. As on iOS, the result stays in memory regardless of the other options; ``SecItemAdd(_:_:)`` stores it
/// (`kSecValueRef`).
///
/// `items` becomes an array of dictionaries, one for each key with a certificate, in the order of the keys:
/// `kSecImportItemIdentity` (`SecIdentity`), `kSecImportItemTrust` (`SecTrust`, with the policy of X.509 alone),
/// `kSecImportItemCertChain` (an array of `SecCertificate`, the identity's first), `kSecImportItemLabel` (the file's name
/// for it, else that of the certificate) and `kSecImportItemKeyID` (the SHA-1 of the public key). Certificates without a
/// key are omitted. A failed call does not change `items`.
///
/// - Returns: `errSecSuccess`; `errSecAuthFailed` for a wrong password, a missing one, or a file that was altered;
///   `errSecDecode` for data that is not a PKCS#12 file, exceeds the limits, is not protected by a password, or has
///   unsupported ciphers or keys; `errSecParam` for a password that is not a string.
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

/// An error of an import.
struct ImportFault: Error {
  let status: OSStatus
}

/// A key of a file with its certificate chain.
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

  /// The dictionary for the caller.
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
  /// Maps the error to the statuses of iOS, which returns only `errSecAuthFailed` and `errSecDecode` (Security-61901,
  /// SecImportExport.c), and misuse to `errSecParam`.
  init(_ error: PKCS12Error) {
    switch error {
    case .wrongPassword: status = errSecAuthFailed
    case .malformed, .unsupported, .notAuthenticated, .tooLarge: status = errSecDecode
    case .misuse: status = errSecParam
    }
  }
}
