import Foundation
import KeychainModel
import Security

/// What a file brings to the keychain.
enum ImportedObject {
  case identity(SecIdentity, label: String)
  case certificate(SecCertificate)

  /// The identities of a PKCS#12 file, each followed by its issuers.
  ///
  /// - Parameter passphrase: as a user gives it; nil: none is tried, and if that does not do, the user is asked.
  static func read(_ bytes: Data, of path: String, passphrase: String?) throws(CommandFailure) -> [ImportedObject] {
    var items: CFArray?
    var status = errSecAuthFailed
    if passphrase == nil { status = SecPKCS12Import(bytes as CFData, [:], &items) }
    if status == errSecAuthFailed {
      let password = try SecretArgument.read(passphrase, option: "-P", prompt: "Password of \(path): ")
      status = SecPKCS12Import(bytes as CFData, [kSecImportExportPassphrase: password] as CFDictionary, &items)
    }
    switch status {
    case errSecSuccess: break
    case errSecAuthFailed:
      throw CommandFailure(.authenticationFailed, "\(path): the password is wrong, or the file was altered")
    default:
      throw CommandFailure(.badData, "\(path) is no PKCS#12 file that can be read, and no certificate")
    }
    var objects: [ImportedObject] = []
    for item in items as? [[String: Any]] ?? [] {
      guard let identity = item[kSecImportItemIdentity as String] as? SecIdentity else { continue }
      objects.append(.identity(identity, label: item[kSecImportItemLabel as String] as? String ?? ""))
      let chain = item[kSecImportItemCertChain as String] as? [SecCertificate] ?? []
      objects += chain.dropFirst().map { .certificate($0) }
    }
    guard !objects.isEmpty else {
      throw CommandFailure(.badData, "\(path) has no private key with its certificate")
    }
    return objects
  }

  /// The object for `kSecValueRef`.
  var reference: AnyObject {
    switch self {
    case .identity(let identity, _): identity
    case .certificate(let certificate): certificate
    }
  }

  var itemClass: ItemClass {
    switch self {
    case .identity: .identity
    case .certificate: .certificate
    }
  }

  /// What it is called.
  var label: String? {
    switch self {
    case .identity(_, let label): label
    case .certificate(let certificate): SecCertificateCopySubjectSummary(certificate).map { $0 as String }
    }
  }
}
