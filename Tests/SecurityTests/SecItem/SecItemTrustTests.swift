import Foundation
import LatchkeyKeychainModel
import LatchkeySwiftTesting
import Security
import Testing

/// Trusts Ada alone, and at no time but in the year 2030 where it is asked for the path.
private struct AdaAlone: TrustEvaluator {
  var systemAnchors: [[UInt8]] { [] }

  func evaluate(_ question: TrustQuestion) -> TrustVerdict {
    let isAda = question.certificates.first == ItemCertificates.ada.der
    // A certificate for TLS is evaluated as its own anchor.
    let isItsOwnAnchor = question.anchors == question.certificates && !question.includesSystemAnchors
    switch question.purposes {
    case [.basic] where isAda && question.certificates.contains(ItemCertificates.authority.der):
      return .trusted(chain: question.certificates)
    case [.client] where isAda && isItsOwnAnchor && question.time == 1_893_456_000:
      return .trusted(chain: question.certificates)
    default: return .refused(.noAnchor, chain: [], detail: "")
    }
  }
}

@Suite("Matching by trust", .temporaryKeychain)
struct SecItemTrustTests {
  private let certificates: Item = [
    kSecClass: kSecClassCertificate, kSecReturnRef: true, kSecMatchLimit: kSecMatchLimitAll,
  ]
  private let date = Date(timeIntervalSince1970: 1_893_456_000)

  private func addAll() {
    for certificate in [ItemCertificates.authority, ItemCertificates.ada, ItemCertificates.bob] {
      #expect(add([kSecValueRef: certificate]).status == errSecSuccess)
    }
  }

  private func evaluated<Result>(_ body: () throws -> Result) rethrows -> Result {
    try TrustEvaluatorRegistry.$replacement.withValue(.evaluator(AdaAlone()), operation: body)
  }

  @Test("row 67: only trusted certificates are found, issuers in the keychain helping; keys are found as ever")
  func trustedOnly() {
    addAll()
    #expect(add(key()).status == errSecSuccess)
    evaluated {
      let trusted = find(certificates, returning: [kSecMatchTrustedOnly: true])
      #expect(trusted.array as? [SecCertificate] == [ItemCertificates.ada])
      #expect(find(certificates, returning: [kSecMatchTrustedOnly: false]).array?.count == 3)
      #expect(count([kSecClass: kSecClassKey, kSecMatchTrustedOnly: true]) == 1)
      #expect(delete([kSecValueRef: ItemCertificates.authority]) == errSecSuccess)
      #expect(find(certificates, returning: [kSecMatchTrustedOnly: true]).status == errSecItemNotFound)
    }
  }

  @Test("row 67: a date finds the certificates that are valid then, and every key")
  func validOnDate() {
    addAll()
    #expect(add(key()).status == errSecSuccess)
    let then = Date(timeIntervalSince1970: 1_590_000_000)
    #expect(find(certificates, returning: [kSecMatchValidOnDate: then]).array?.count == 3)
    let found = find(certificates, returning: [kSecMatchValidOnDate: date]).array as? [SecCertificate]
    #expect(found == [ItemCertificates.authority, ItemCertificates.ada])
    #expect(find(certificates, returning: [kSecMatchValidOnDate: Date.distantPast]).status == errSecItemNotFound)
    #expect(count([kSecClass: kSecClassKey, kSecMatchValidOnDate: Date.distantPast]) == 1)
  }

  @Test("a policy finds the certificates that meet it at the date asked for")
  func policy() {
    addAll()
    evaluated {
      let basic: Item = [kSecMatchPolicy: SecPolicyCreateBasicX509()]
      #expect(find(certificates, returning: basic).array as? [SecCertificate] == [ItemCertificates.ada])
      let client: Item = [kSecMatchPolicy: SecPolicyCreateSSL(false, nil)]
      #expect(find(certificates, returning: client).status == errSecItemNotFound)
      let then = client.merging([kSecMatchValidOnDate: date]) { $1 }
      #expect(find(certificates, returning: then).array as? [SecCertificate] == [ItemCertificates.ada])
      #expect(find([kSecClass: kSecClassKey], returning: basic).status == errSecUnimplemented)
      #expect(find(certificates, returning: [kSecMatchPolicy: "policy"]).status == errSecParam)
    }
  }

  @Test("identities are found by the trust in their certificates")
  func identities() {
    #expect(add([kSecValueRef: IdentityFixture.eve]).status == errSecSuccess)
    #expect(add([kSecValueRef: IdentityFixture.evesKey]).status == errSecSuccess)
    let identities: Item = [kSecClass: kSecClassIdentity, kSecMatchTrustedOnly: true]
    #expect(evaluated { find(identities).status } == errSecItemNotFound)
    #expect(find([kSecClass: kSecClassIdentity]).status == errSecSuccess)
  }

  @Test("Without a trust evaluator, a match by trust is errSecUnimplemented, whatever the keychain holds")
  func unimplemented() {
    TrustEvaluatorRegistry.$replacement.withValue(TrustEvaluatorRegistry.Choice.none) {
      for match in [[kSecMatchTrustedOnly: true], [kSecMatchPolicy: SecPolicyCreateBasicX509()]] as [Item] {
        #expect(find(certificates, returning: match).status == errSecUnimplemented)
        #expect(find([kSecClass: kSecClassIdentity], returning: match).status == errSecUnimplemented)
      }
      #expect(find(certificates, returning: [kSecMatchTrustedOnly: false]).status == errSecItemNotFound)
    }
  }
}
