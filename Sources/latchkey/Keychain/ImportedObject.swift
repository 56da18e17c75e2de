import Foundation
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyKeychainModel
import LatchkeyPKCS12
import Security

/// An object of a file that is added to the keychain.
enum ImportedObject {
  case identity(SecIdentity, label: String)
  case certificate(SecCertificate)

  /// The identities of a PKCS#12 file, each followed by its issuers; of a file without keys, a list of trusted ones say, all
  /// certificates.
  ///
  /// - Parameter passphrase: as a user gives it; nil: none is tried, and if that does not do, the user is asked.
  static func read(_ bytes: Data, of path: String, passphrase: String?) throws(CommandFailure) -> [ImportedObject] {
    var items: CFArray?
    var status = errSecAuthFailed
    var used: String?
    if passphrase == nil { status = SecPKCS12Import(bytes as CFData, [:], &items) }
    if status == errSecAuthFailed {
      let password = try SecretArgument.read(passphrase, option: "-P", prompt: "Password of \(path): ")
      used = password
      status = SecPKCS12Import(bytes as CFData, [kSecImportExportPassphrase: password] as CFDictionary, &items)
    }
    switch status {
    case errSecSuccess: break
    case errSecAuthFailed:
      throw CommandFailure(.authenticationFailed, "\(path): the password is wrong, or the file was altered")
    default: throw CommandFailure(.badData, "\(path) \(whyNot(bytes, password: used))")
    }
    var objects: [ImportedObject] = []
    for item in items as? [[String: Any]] ?? [] {
      guard let identity = item[kSecImportItemIdentity as String] as? SecIdentity else { continue }
      objects.append(.identity(identity, label: item[kSecImportItemLabel as String] as? String ?? ""))
      let chain = item[kSecImportItemCertChain as String] as? [SecCertificate] ?? []
      objects += chain.dropFirst().map { .certificate($0) }
    }
    if objects.isEmpty { objects = certificates(bytes, password: used) }
    guard !objects.isEmpty else {
      throw CommandFailure(.badData, "\(path) has no private key with its certificate, and no certificate alone")
    }
    return objects
  }

  /// The certificates of a file that has no keys.
  private static func certificates(_ bytes: Data, password: String?) -> [ImportedObject] {
    guard var file = try? PKCS12File(reading: bytes, password: password) else { return [] }
    guard file.keys.isEmpty else {
      file.wipeKeys()
      return []
    }
    return file.certificates.compactMap { SecCertificateCreateWithData(nil, Data($0.der) as CFData) }
      .map { .certificate($0) }
  }

  /// The reason why Security does not read a file: its statuses do not say.
  private static func whyNot(_ bytes: Data, password: String?) -> String {
    do throws(PKCS12Error) {
      var file = try PKCS12File(reading: bytes, password: password)
      file.wipeKeys()
      return "has a key or a certificate of a kind that there is none of here"
    } catch {
      return switch error {
      case .unsupported(let name): "uses \(name), which is not read here: write it anew with openssl pkcs12"
      case .tooLarge(let what): "asks for too much: \(what)"
      case .notAuthenticated: "has no MAC, so nothing shows whether it was altered: write it anew with openssl pkcs12"
      case .malformed, .wrongPassword, .misuse: "is no PKCS#12 file that can be read, and no certificate"
      }
    }
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
