import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// Rows 46 to 56 as far as they need no PKCS#12 (Apple's si-42-identity and si-68-secmatchissuer).
@Suite("Checklist: identities", .temporaryKeychain)
struct ChecklistIdentityTests {
  private let identities: Item = [kSecClass: kSecClassIdentity]

  private func addBoth(_ certificate: SecCertificate, _ key: SecKey, _ more: Item = [:]) {
    #expect(add([kSecValueRef: certificate].merging(more) { $1 }).status == errSecSuccess)
    #expect(add([kSecValueRef: key].merging(more) { $1 }).status == errSecSuccess)
  }

  private func identity(_ query: Item = [:]) -> SecIdentity? {
    find(identities.merging(query) { $1 }, returning: [kSecReturnRef: true]).object as? SecIdentity
  }

  private func certificate(_ identity: SecIdentity?) -> SecCertificate? {
    var certificate: SecCertificate?
    guard let identity, SecIdentityCopyCertificate(identity, &certificate) == errSecSuccess else { return nil }
    return certificate
  }

  private func key(_ identity: SecIdentity?) -> SecKey? {
    var key: SecKey?
    guard let identity, SecIdentityCopyPrivateKey(identity, &key) == errSecSuccess else { return nil }
    return key
  }

  @Test("row 46: a certificate and its key added, the identity is found by the key's label")
  func found() throws {
    addBoth(IdentityFixture.eve, IdentityFixture.evesKey)
    let label = try #require(Keys.attributes(IdentityFixture.evesKey)["klbl"])
    let found = find([kSecClass: kSecClassKey, kSecAttrApplicationLabel: label], returning: [kSecReturnRef: true])
    #expect(found.object as? SecKey == IdentityFixture.evesKey)
    let hash: Item = [kSecClass: kSecClassCertificate, kSecAttrPublicKeyHash: label]
    #expect(find(hash, returning: [kSecReturnRef: true]).object as? SecCertificate == IdentityFixture.eve)
    let identity = try #require(self.identity([kSecAttrApplicationLabel: label]))
    #expect(CFGetTypeID(identity) == SecIdentityGetTypeID())
  }

  @Test("row 47: the identity's certificate equals the certificate, and its key the key")
  func parts() throws {
    addBoth(IdentityFixture.eve, IdentityFixture.evesKey)
    let identity = try #require(self.identity())
    #expect(certificate(identity) == IdentityFixture.eve && key(identity) == IdentityFixture.evesKey)
    var made: SecIdentity?
    #expect(SecIdentityCreateWithCertificate(nil, IdentityFixture.eve, &made) == errSecSuccess)
    #expect(made == identity && CFEqual(made, identity) && made?.hashValue == identity.hashValue)
    let signature = try Keys.signature(letter, by: #require(key(identity)))
    #expect(Keys.isValid(signature, of: letter, by: try #require(SecCertificateCopyKey(IdentityFixture.eve))))
  }

  @Test("rows 48 to 51: added by reference it has a persistent reference, again it is a duplicate, found, deleted")
  func byReference() throws {
    addBoth(IdentityFixture.eve, IdentityFixture.evesKey)
    let identity = try #require(self.identity())
    #expect(delete([kSecValueRef: IdentityFixture.eve]) == errSecSuccess)
    #expect(find([kSecValueRef: IdentityFixture.eve]).status == errSecItemNotFound)
    #expect(delete([kSecValueRef: IdentityFixture.evesKey]) == errSecSuccess)
    #expect(find([kSecValueRef: IdentityFixture.evesKey]).status == errSecItemNotFound)
    #expect(add([kSecValueRef: ItemCertificates.authority]).status == errSecSuccess)

    let added = add([kSecValueRef: identity], returning: [kSecReturnPersistentRef: true])
    #expect(added.status == errSecSuccess)
    let reference = try #require(added.data)
    let again = add([kSecValueRef: identity], returning: [kSecReturnPersistentRef: true])
    #expect(again.status == errSecDuplicateItem && again.object == nil)
    let found = find([kSecValuePersistentRef: reference], returning: [kSecReturnRef: true])
    #expect(found.object as? SecIdentity == identity)
    for object in [identity as Any, IdentityFixture.evesKey, IdentityFixture.eve] {
      let persistent = find([kSecValueRef: object], returning: [kSecReturnPersistentRef: true])
      #expect(persistent.status == errSecSuccess && persistent.data?.count == 20, "\(object)")
    }
    #expect(delete([kSecValueRef: identity]) == errSecSuccess)
    #expect(find([kSecValuePersistentRef: reference]).status == errSecItemNotFound)
    #expect(find([kSecValueRef: IdentityFixture.evesKey]).status == errSecItemNotFound)
    #expect(find([kSecValueRef: ItemCertificates.authority]).status == errSecSuccess)
  }

  @Test("row 48: an identity with one half stored already is added")
  func halfThere() throws {
    addBoth(IdentityFixture.eve, IdentityFixture.evesKey)
    let identity = try #require(self.identity())
    #expect(delete([kSecValueRef: IdentityFixture.evesKey]) == errSecSuccess)
    #expect(add([kSecValueRef: identity], returning: [kSecReturnRef: true]).object as? SecIdentity == identity)
    #expect(delete([kSecValueRef: IdentityFixture.eve]) == errSecSuccess)
    #expect(add([kSecValueRef: identity]).status == errSecSuccess)
    #expect(count(identities) == 1 && count([kSecClass: kSecClassKey]) == 1)
    for odd in [[kSecValueData: letter], [kSecClass: kSecClassKey], [kSecMatchLimit: 1]] as [Item] {
      #expect(add([kSecValueRef: identity].merging(odd) { $1 }).status == errSecParam)
    }
  }

  @Test("row 48: where the key cannot be stored, the certificate is not either")
  func atomic() throws {
    addBoth(IdentityFixture.eve, IdentityFixture.evesKey)
    let identity = try #require(self.identity())
    #expect(delete(identities) == errSecSuccess)
    let control = try #require(
      SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, [], nil))
    #expect(add([kSecValueRef: identity, kSecAttrAccessControl: control]).status == errSecAuthFailed)
    #expect(find([kSecClass: kSecClassCertificate]).status == errSecItemNotFound)
  }

  @Test("row 52: a label finds identity, certificate and key")
  func label() {
    addBoth(IdentityFixture.eve, IdentityFixture.evesKey, [kSecAttrLabel: "eve's"])
    #expect(certificate(identity([kSecAttrLabel: "eve's"])) == IdentityFixture.eve)
    for itemClass in [kSecClassIdentity, kSecClassCertificate, kSecClassKey] {
      #expect(count([kSecClass: itemClass, kSecAttrLabel: "eve's"]) == 1)
    }
  }

  @Test("row 53: relabel the key and the identity is found by its label, relabel the certificate and it is not")
  func relabel() {
    addBoth(IdentityFixture.eve, IdentityFixture.evesKey, [kSecAttrLabel: "eve's"])
    #expect(update([kSecClass: kSecClassKey, kSecAttrLabel: "eve's"], [kSecAttrLabel: "key"]) == errSecSuccess)
    #expect(identity([kSecAttrLabel: "eve's"]) != nil)
    #expect(update([kSecClass: kSecClassCertificate], [kSecAttrLabel: "certificate"]) == errSecSuccess)
    #expect(identity([kSecAttrLabel: "eve's"]) == nil)
    #expect(identity([kSecAttrLabel: "certificate"]) != nil)
  }

  @Test("row 54: found by its issuer it is the same identity")
  func issuer() {
    addBoth(IdentityFixture.eve, IdentityFixture.evesKey)
    let found = identity([kSecMatchIssuers: [IdentityFixture.issuer]])
    #expect(found != nil && found == identity())
  }

  @Test("row 55: a key and a certificate that do not belong together are no identity")
  func mismatched() {
    addBoth(IdentityFixture.eve, IdentityFixture.gracesKey)
    #expect(identity() == nil)
    #expect(find(identities).status == errSecItemNotFound)
    var made: SecIdentity?
    #expect(SecIdentityCreateWithCertificate(nil, IdentityFixture.eve, &made) == errSecItemNotFound)
    #expect(made == nil)
    // A label that claims it does not make it one.
    let label = Keys.attributes(IdentityFixture.evesKey)["klbl"]!
    #expect(update([kSecValueRef: IdentityFixture.gracesKey], [kSecAttrApplicationLabel: label]) == errSecSuccess)
    let claimed = find(identities, returning: [kSecReturnRef: true])
    #expect(claimed.status == errSecDecode && claimed.object == nil)
  }

  @Test("row 56: all of an issuer are two identities, and two certificates")
  func issuerOfAll() {
    addBoth(IdentityFixture.eve, IdentityFixture.evesKey)
    addBoth(IdentityFixture.grace, IdentityFixture.gracesKey)
    #expect(add([kSecValueRef: ItemCertificates.ada]).status == errSecSuccess)
    let all: Item = [
      kSecMatchIssuers: [IdentityFixture.issuer], kSecMatchLimit: kSecMatchLimitAll, kSecReturnRef: true,
    ]
    let found = find(identities, returning: all).array as? [SecIdentity] ?? []
    #expect(found.map(certificate) == [IdentityFixture.eve, IdentityFixture.grace])
    #expect(found.map(key) == [IdentityFixture.evesKey, IdentityFixture.gracesKey])
    let certificates = find([kSecClass: kSecClassCertificate], returning: all).array as? [SecCertificate]
    #expect(certificates == [IdentityFixture.eve, IdentityFixture.grace])
  }
}
