internal import LatchkeyKeychainModel

/// A certificate together with its private key (Apple, SecIdentity.h). Two identities are equal if both parts are.
public final class SecIdentity: Hashable, Sendable {
  /// The certificate.
  package let certificate: SecCertificate
  /// The private key.
  package let key: SecKey

  /// Creates an identity; nil unless the key is the certificate's private key.
  package init?(certificate: SecCertificate, key: SecKey) {
    guard key.isPrivate, certificate.fields.publicKey == key.publicBytes else { return nil }
    self.certificate = certificate
    self.key = key
  }

  /// Whether both have the same certificate and the same key.
  public static func == (a: SecIdentity, b: SecIdentity) -> Bool {
    a.certificate == b.certificate && a.key == b.key
  }

  /// Hashes the certificate.
  public func hash(into hasher: inout Hasher) { hasher.combine(certificate) }
}

extension SecIdentity: CustomStringConvertible, CustomReflectable {
  /// The descriptions of the certificate and the key, without a secret.
  public var description: String { "<SecIdentityRef: \(certificate) \(key)>" }

  /// An empty mirror, so that `dump` shows only the description.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Creates an identity from a certificate and its private key, which need not be in the keychain; nil unless the key is the
/// certificate's private key.
@discardableResult
public func SecIdentityCreate(
  _ allocator: CFAllocator?, _ certificate: SecCertificate, _ privateKey: SecKey
) -> SecIdentity? {
  SecIdentity(certificate: certificate, key: privateKey)
}

/// Stores the identity's certificate in `certificateRef`. Always returns `errSecSuccess`.
@discardableResult
public func SecIdentityCopyCertificate(
  _ identityRef: SecIdentity, _ certificateRef: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
  certificateRef.pointee = identityRef.certificate
  return errSecSuccess
}

/// Stores the identity's private key in `privateKeyRef`. Always returns `errSecSuccess`.
@discardableResult
public func SecIdentityCopyPrivateKey(
  _ identityRef: SecIdentity, _ privateKeyRef: UnsafeMutablePointer<SecKey?>
) -> OSStatus {
  privateKeyRef.pointee = identityRef.key
  return errSecSuccess
}

/// Creates the identity of a certificate whose private key is in the keychain (Apple, SecIdentity.h; macOS).
///
/// - Parameter keychainOrArray: the old macOS keychains to search; no effect on Linux.
/// - Returns: `errSecSuccess`; `errSecItemNotFound` if the keychain does not have the private key; others as
///   ``SecItemCopyMatching(_:_:)``.
@discardableResult
public func SecIdentityCreateWithCertificate(
  _ keychainOrArray: CFTypeRef?, _ certificateRef: SecCertificate, _ identityRef: UnsafeMutablePointer<SecIdentity?>
) -> OSStatus {
  status { () throws(RequestFault) in
    let session = try inStore(KeychainSession.current)
    let query = ItemQuery(
      .key, attributes: [.applicationLabel: .bytes(certificateRef.publicKeyHash), .keyClass: .number(1)],
      synchronizable: .any, wantsData: true)
    var found = try inStore { () throws(StoreError) in try session.store.find(query, as: session.entitlements) }
    defer { found.wipeData() }
    guard let item = found.first else { throw .store(.itemNotFound) }
    let key = try SecKey(item, in: session, consent: Consent())
    guard let identity = SecIdentity(certificate: certificateRef, key: key) else { throw .store(.itemNotFound) }
    identityRef.pointee = identity
  }
}

/// The identifier of identities, which ``CFGetTypeID(_:)`` returns for them.
@discardableResult
public func SecIdentityGetTypeID() -> CFTypeID { 260 }
