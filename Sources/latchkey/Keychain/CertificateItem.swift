import Crypto
import Foundation
import LatchkeyKeychainModel
import Security

/// A certificate in the keychain, and what it says.
struct CertificateItem {
  let item: StoredItem
  let certificate: SecCertificate

  var der: [UInt8] { item.data ?? [] }
  var sha1: [UInt8] { Array(Insecure.SHA1.hash(data: der)) }
  var sha256: [UInt8] { Array(SHA256.hash(data: der)) }

  /// The common name of its subject.
  var commonName: String? {
    var name: CFString?
    guard SecCertificateCopyCommonName(certificate, &name) == errSecSuccess else { return nil }
    return name.map { $0 as String }
  }

  /// The e-mail addresses of its subject, alternative names included.
  var emailAddresses: [String] {
    var addresses: CFArray?
    guard SecCertificateCopyEmailAddresses(certificate, &addresses) == errSecSuccess else { return [] }
    return addresses as? [String] ?? []
  }

  /// Whether its common name contains `name`, whatever the case.
  func isNamed(_ name: String) -> Bool {
    commonName?.range(of: name, options: .caseInsensitive) != nil
  }

  /// Whether `address` is one of its e-mail addresses, whatever the case.
  func hasAddress(_ address: String) -> Bool {
    emailAddresses.contains { $0.lowercased() == address.lowercased() }
  }

  /// All certificates that `query` finds, in the order of their adding.
  static func all(_ query: ItemQuery, in keychain: OpenKeychain) throws(StoreError) -> [CertificateItem] {
    // A program may have stored bytes under this class that are no certificate: they have no name to be found by.
    try keychain.found(query).get().compactMap { item in
      SecCertificateCreateWithData(nil, Data(item.data ?? []) as CFData).map {
        CertificateItem(item: item, certificate: $0)
      }
    }
  }
}
