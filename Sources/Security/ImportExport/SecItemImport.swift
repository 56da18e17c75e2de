public import Foundation
import LatchkeyByteCoding

/// Reads certificates, keys and identities from data (Apple, SecImportExport.h; macOS): PEM, DER of certificates and keys (X.509,
/// PKCS #1, PKCS #8, SEC 1), PKCS #12 files, the certificates of signed PKCS #7 and CMS messages, and lines of OpenSSH with public
/// keys.
///
/// The result stays in memory: ``SecItemAdd(_:_:)`` stores an item of it (`kSecValueRef`). PKCS #12 files yield their identities
/// first, then the certificates and the keys that belong to none. PKCS #7 files (.p7b, .p7c) and signed CMS messages (RFC 5652) yield
/// their X.509 certificates in the order of the file; content and signatures are neither returned nor verified.
///
/// - Parameters:
///   - importedData: at most 1 MiB.
///   - fileNameOrExtension: no effect; the data itself shows what it is.
///   - inputFormat: the format that is expected, if known; the one that was found, on return.
///   - itemType: the type that is expected, if known; the one that was found, on return. Both are ignored for PEM.
///   - flags: no effect.
///   - keyParams: the passphrase and the usage of keys.
///   - importKeychain: always nil.
///   - outItems: an array of `SecCertificate`, `SecKey` and `SecIdentity`, on success.
/// - Returns: `errSecSuccess`; `errSecUnknownFormat` for data that is not recognized, or is not what was expected;
///   `errSecUnsupportedFormat` for a known form or key that is not supported; `errSecDecode` for one that is damaged;
///   `errSecPassphraseRequired` and `errSecPkcs12VerifyFailure` for a missing and a wrong passphrase; `errSecParam` for empty
///   data and invalid parameters; `errSecInvalidKeychain` for a permanent key.
@discardableResult
public func SecItemImport(
  _ importedData: CFData, _ fileNameOrExtension: CFString?, _ inputFormat: UnsafeMutablePointer<SecExternalFormat>?,
  _ itemType: UnsafeMutablePointer<SecExternalItemType>?, _ flags: SecItemImportExportFlags,
  _ keyParams: UnsafePointer<SecItemImportExportKeyParameters>?, _ importKeychain: SecKeychain?,
  _ outItems: UnsafeMutablePointer<CFArray?>?
) -> OSStatus {
  do throws(ImportFault) {
    guard importedData.length > 0 else { throw ImportFault(status: errSecParam) }
    let parameters = try KeyTransferParameters(keyParams)
    guard importedData.length <= ImportedItems.longest else { throw ImportFault(status: errSecUnknownFormat) }
    var bytes = [UInt8](importedData)
    defer { bytes.wipe() }
    let imported = try ImportedItems(
      bytes, format: inputFormat?.pointee ?? .formatUnknown, type: itemType?.pointee ?? .itemTypeUnknown, parameters)
    inputFormat?.pointee = imported.format
    itemType?.pointee = imported.type
    outItems?.pointee = imported.objects as NSArray
    return errSecSuccess
  } catch {
    return error.status
  }
}
