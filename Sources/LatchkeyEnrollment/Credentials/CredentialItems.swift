internal import Crypto
internal import Foundation
internal import LatchkeyByteCoding
internal import Security

/// The permanent credentials of one space, as keychain items.
///
/// Server, port, protocol, security domain (the realm), authentication type and account identify an internet password, and so
/// the credential. The item's comment marks the default credential.
struct CredentialItems {
  struct Found {
    let credential: Credential
    let isDefault: Bool
  }

  private static let defaultMark = "default credential"
  private let place: ItemAttributes

  init(_ space: ProtectionSpace) {
    place = [
      kSecClass: kSecClassInternetPassword, kSecAttrServer: space.host, kSecAttrPort: space.port,
      kSecAttrProtocol: space.protocol == .https ? kSecAttrProtocolHTTPS : kSecAttrProtocolHTTP,
      kSecAttrSecurityDomain: space.realm, kSecAttrAuthenticationType: space.authenticationMethod.itemType,
    ]
  }

  /// All credentials, the default first.
  func all() throws(EnrollmentError) -> [Found] {
    let query: ItemAttributes = [
      kSecReturnAttributes: true, kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll,
    ]
    let items = try Items.find(place.merging(query) { $1 }) as? [[CFString: Any]] ?? []
    var found: [(found: Found, changed: Date)] = []
    for item in items {
      guard let credential = try credential(of: item) else { continue }
      found.append(
        (
          Found(credential: credential, isDefault: item[kSecAttrComment] as? String == Self.defaultMark),
          item[kSecAttrModificationDate] as? Date ?? .distantPast
        ))
    }
    // A program that ended between its two steps may have left two defaults: the later one counts.
    return found.sorted { ($0.found.isDefault ? 1 : 0, $0.changed) > ($1.found.isDefault ? 1 : 0, $1.changed) }
      .map(\.found)
  }

  /// Inserts or updates a credential.
  func put(_ credential: Credential, asDefault isDefault: Bool) throws(EnrollmentError) {
    if let identity = credential.identity { try keep(identity, credential.certificates) }
    var contents: ItemAttributes = [
      kSecValueData: try credential.itemData(), kSecAttrLabel: credential.itemLabel,
      kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
    ]
    if isDefault { contents[kSecAttrComment] = Self.defaultMark }
    try Items.put(contents, named(credential.name))
    guard isDefault else { return }
    let others =
      try Items.find(
        place.merging([kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll]) { $1 }) as? [[CFString: Any]]
    for other in others ?? [] {
      guard let name = other[kSecAttrAccount] as? String, name != credential.name,
        other[kSecAttrComment] as? String == Self.defaultMark
      else { continue }
      let status = SecItemUpdate(named(name) as CFDictionary, [kSecAttrComment: ""] as CFDictionary)
      if status != errSecItemNotFound { try Items.check(status) }
    }
  }

  /// Deletes a credential.
  func remove(_ name: String) throws(EnrollmentError) { try Items.delete(named(name)) }

  private func named(_ name: String) -> ItemAttributes { place.merging([kSecAttrAccount: name]) { $1 } }

  /// Stores certificate, key and issuers as separate items.
  private func keep(_ identity: SecIdentity, _ certificates: [SecCertificate]) throws(EnrollmentError) {
    try Items.add([kSecValueRef: identity, kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly])
    for certificate in certificates where certificate != identity.certificate {
      try Items.add([kSecValueRef: certificate])
    }
  }

  /// The credential of an item; nil for an identity whose key or certificate is missing.
  private func credential(of item: [CFString: Any]) throws(EnrollmentError) -> Credential? {
    guard let name = item[kSecAttrAccount] as? String, let data = item[kSecValueData] as? Data else { return nil }
    guard
      place[kSecAttrAuthenticationType] as? String == ProtectionSpace.AuthenticationMethod.clientCertificate.itemType
    else { return Credential(user: name, password: String(decoding: data, as: UTF8.self), persistence: .permanent) }
    guard let encoded = try? JSONDecoder().decode([Data].self, from: data) else { return nil }
    let certificates = encoded.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
    guard let leaf = certificates.first else { return nil }
    var identity: SecIdentity?
    let status = SecIdentityCreateWithCertificate(nil, leaf, &identity)
    if status == errSecItemNotFound { return nil }
    try Items.check(status)
    return identity.map {
      Credential(identity: $0, certificates: Array(certificates.dropFirst()), persistence: .permanent)
    }
  }
}

extension ProtectionSpace.AuthenticationMethod {
  /// A four-character code for `kSecAttrAuthenticationType`; Apple defines none for certificates.
  fileprivate var itemType: String {
    switch self {
    case .default: kSecAttrAuthenticationTypeDefault as String
    case .httpBasic: kSecAttrAuthenticationTypeHTTPBasic as String
    case .httpDigest: kSecAttrAuthenticationTypeHTTPDigest as String
    case .htmlForm: kSecAttrAuthenticationTypeHTMLForm as String
    case .clientCertificate: "cert"
    }
  }
}

extension Credential {
  /// Identifies the credential within its space: the user's name, or the SHA-256 of the certificate.
  var name: String {
    guard let identity else { return user ?? "" }
    return "sha256:" + Hexadecimal.encode(Array(SHA256.hash(data: identity.certificate.der)))
  }

  /// The label shown in lists of keychain items.
  fileprivate var itemLabel: String {
    identity.flatMap { SecCertificateCopySubjectSummary($0.certificate) as String? } ?? name
  }

  /// The password; or the certificates, the identity's own first: a JSON array of base64.
  fileprivate func itemData() throws(EnrollmentError) -> Data {
    guard let identity else { return Data((password ?? "").utf8) }
    let certificates = [identity.certificate] + certificates.filter { $0 != identity.certificate }
    do {
      return try JSONEncoder().encode(certificates.map { Data($0.der) })
    } catch {
      throw .misuse("the identity's certificates cannot be written")
    }
  }
}
