internal import LatchkeyKeychainModel

/// A certificate together with the private key that belongs to it (Apple, SecIdentity.h). Two are equal when both are.
public final class SecIdentity: Hashable, Sendable {
  /// The certificate.
  package let certificate: SecCertificate
  /// The private key.
  package let key: SecKey

  /// The identity of these two; nil unless the key is the private one of the certificate's public key.
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
  /// What certificate and key are described as. Nothing secret.
  public var description: String { "<SecIdentityRef: \(certificate) \(key)>" }

  /// Nothing: `dump` shows the description alone.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The identity of a certificate and its private key, neither of which need be in the keychain; nil unless the key is the
/// private one of the certificate's public key.
@discardableResult
public func SecIdentityCreate(
  _ allocator: CFAllocator?, _ certificate: SecCertificate, _ privateKey: SecKey
) -> SecIdentity? {
  SecIdentity(certificate: certificate, key: privateKey)
}

/// The identity's certificate. `certificateRef` is set when the answer is `errSecSuccess`, which it always is.
@discardableResult
public func SecIdentityCopyCertificate(
  _ identityRef: SecIdentity, _ certificateRef: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
  certificateRef.pointee = identityRef.certificate
  return errSecSuccess
}

/// The identity's private key. `privateKeyRef` is set when the answer is `errSecSuccess`, which it always is.
@discardableResult
public func SecIdentityCopyPrivateKey(
  _ identityRef: SecIdentity, _ privateKeyRef: UnsafeMutablePointer<SecKey?>
) -> OSStatus {
  privateKeyRef.pointee = identityRef.key
  return errSecSuccess
}

/// The identity of a certificate whose private key is in the keychain (Apple, SecIdentity.h; macOS).
///
/// - Parameter keychainOrArray: the old keychains of macOS to search; it has no meaning here.
/// - Returns: `errSecSuccess`; `errSecItemNotFound` when the keychain has no such private key; others as
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

/// The identifier of identities: ``CFGetTypeID(_:)`` answers it for them.
@discardableResult
public func SecIdentityGetTypeID() -> CFTypeID { 260 }
