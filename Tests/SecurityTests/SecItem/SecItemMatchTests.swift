import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// `kSecMatch…`: what a search can ask beyond equal attributes, and of which classes.
@Suite("Matching", .temporaryKeychain)
struct SecItemMatchTests {
  private func addCertificates() {
    for certificate in [ItemCertificates.authority, ItemCertificates.ada, ItemCertificates.bob] {
      #expect(add([kSecValueRef: certificate]).status == errSecSuccess)
    }
  }

  /// The certificates that match, by what they are called.
  private func names(_ match: Item) -> [String]? {
    let query: Item = [
      kSecClass: kSecClassCertificate, kSecMatchLimit: kSecMatchLimitAll, kSecReturnRef: true,
    ]
    let answer = find(query, returning: match)
    if answer.status == errSecItemNotFound { return [] }
    return (answer.array as? [SecCertificate])?.map { (SecCertificateCopySubjectSummary($0) ?? "") as String }
  }

  private let authority = "Latchkey Test Authority"
  private let ada = "Ada Lovelåce"
  private let bob = "Bob of Example"

  @Test("without a match all come, in the order of their adding")
  func allCertificates() {
    addCertificates()
    #expect(names([:]) == [authority, ada, bob])
  }

  @Test("a common name contains, starts with, ends with, or is a text")
  func commonNames() {
    addCertificates()
    #expect(names([kSecMatchSubjectContains: "o"]) == [authority, ada, bob])
    #expect(names([kSecMatchSubjectContains: "of"]) == [bob])
    #expect(names([kSecMatchSubjectContains: "NO"]) == [], "the country is no part of the common name")
    #expect(names([kSecMatchSubjectContains: "Latchkey"]) == [authority], "nor is the organization")
    #expect(names([kSecMatchSubjectStartsWith: "Ada"]) == [ada])
    #expect(names([kSecMatchSubjectStartsWith: "da"]) == [])
    #expect(names([kSecMatchSubjectEndsWith: "Example"]) == [bob])
    #expect(names([kSecMatchSubjectEndsWith: "Exampl"]) == [])
    #expect(names([kSecMatchSubjectWholeString: "Bob of Example"]) == [bob])
    #expect(names([kSecMatchSubjectWholeString: "Bob of Exampl"]) == [])
  }

  @Test("two matches must both hold")
  func bothMatches() {
    addCertificates()
    #expect(names([kSecMatchSubjectStartsWith: "Bob", kSecMatchSubjectEndsWith: "Example"]) == [bob])
    #expect(names([kSecMatchSubjectStartsWith: "Ada", kSecMatchSubjectEndsWith: "Example"]) == [])
  }

  @Test("case and diacritics count unless the query says otherwise")
  func folding() {
    addCertificates()
    #expect(names([kSecMatchSubjectContains: "LOVEL"]) == [])
    #expect(names([kSecMatchSubjectContains: "LOVEL", kSecMatchCaseInsensitive: true]) == [ada])
    #expect(names([kSecMatchSubjectContains: "LOVEL", kSecMatchCaseInsensitive: false]) == [])
    #expect(names([kSecMatchSubjectContains: "Lovelace"]) == [])
    #expect(names([kSecMatchSubjectContains: "Lovelace", kSecMatchDiacriticInsensitive: true]) == [ada])
    let both: Item = [kSecMatchDiacriticInsensitive: true, kSecMatchCaseInsensitive: true]
    #expect(names(both.merging([kSecMatchSubjectWholeString: "ada lovelace"]) { $1 }) == [ada])
  }

  @Test("a certificate is valid on a date, both ends included")
  func validity() {
    addCertificates()
    let end = Date(timeIntervalSince1970: 1_609_459_200)  // 2021-01-01 00:00:00 UTC, where Bob's ends
    #expect(names([kSecMatchValidOnDate: end]) == [authority, ada, bob])
    #expect(names([kSecMatchValidOnDate: end.addingTimeInterval(1)]) == [authority, ada])
    let start = Date(timeIntervalSince1970: 1_577_836_800)  // 2020-01-01 00:00:00 UTC
    #expect(names([kSecMatchValidOnDate: start]) == [authority, ada, bob])
    #expect(names([kSecMatchValidOnDate: start.addingTimeInterval(-1)]) == [])
    #expect(names([kSecMatchValidOnDate: NSNull()]) == [authority, ada], "null is now")
  }

  @Test("a certificate names an address, in whatever case")
  func addresses() {
    addCertificates()
    #expect(names([kSecMatchEmailAddressIfPresent: "ADA@example.org"]) == [ada])
    #expect(names([kSecMatchEmailAddressIfPresent: "bob@example.org"]) == [])
  }

  @Test("An issuer is any certificate of the chain, as far as the keychain has it")
  func issuers() throws {
    addCertificates()
    let issuer = try #require(SecCertificateCopyNormalizedSubjectSequence(ItemCertificates.authority)) as Data
    let subject = try #require(SecCertificateCopyNormalizedSubjectSequence(ItemCertificates.ada)) as Data
    #expect(names([kSecMatchIssuers: [issuer]]) == [authority, ada, bob])
    #expect(names([kSecMatchIssuers: [subject]]) == [])
    #expect(names([kSecMatchIssuers: [subject, issuer]]) == [authority, ada, bob])
  }

  @Test("Validity, trust and addresses filter certificates only; passwords pass")
  func passwordsPass() {
    #expect(add(password("ada", [kSecValueData: letter])).status == errSecSuccess)
    let match: Item = [
      kSecMatchValidOnDate: Date.distantPast, kSecMatchTrustedOnly: true, kSecMatchEmailAddressIfPresent: "a@b",
    ]
    #expect(secret(password("ada", match)) == letter)
  }

  @Test("Limits count matching items, not examined ones")
  func limits() {
    addCertificates()
    let query: Item = [kSecClass: kSecClassCertificate, kSecMatchValidOnDate: NSNull(), kSecReturnRef: true]
    #expect(find(query).object as? SecCertificate == ItemCertificates.authority)
    #expect(find(query, returning: [kSecMatchLimit: 2]).array?.count == 2)
    let last: Item = [kSecMatchSubjectStartsWith: "Bob", kSecMatchLimit: kSecMatchLimitOne, kSecReturnRef: true]
    #expect(find(last, returning: [kSecClass: kSecClassCertificate]).object as? SecCertificate == ItemCertificates.bob)
  }

  @Test("a search by match returns the data only when asked for")
  func noDataUnasked() {
    addCertificates()
    let query: Item = [kSecClass: kSecClassCertificate, kSecMatchSubjectStartsWith: "Ada"]
    let attributes = find(query, returning: [kSecReturnAttributes: true]).dictionary
    #expect(attributes?["labl"] as? String == ada)
    #expect(attributes?["v_Data"] == nil)
  }

  @Test("attributes are compared without case when the query says so")
  func attributesWithoutCase() {
    #expect(add(password("Ada", service: "Post", [kSecValueData: letter])).status == errSecSuccess)
    #expect(find(password("ada", service: "post")).status == errSecItemNotFound)
    #expect(find(password("ada", service: "post", [kSecMatchCaseInsensitive: false])).status == errSecItemNotFound)
    #expect(secret(password("aDA", service: "POST", [kSecMatchCaseInsensitive: true])) == letter)
    #expect(find(password("bob", service: "post", [kSecMatchCaseInsensitive: true])).status == errSecItemNotFound)
  }

  @Test("attributes are compared without diacritics or width when the query says so")
  func attributesWithoutDiacritics() {
    #expect(add(password("Åsa", [kSecValueData: letter])).status == errSecSuccess)
    #expect(find(password("Asa")).status == errSecItemNotFound)
    #expect(secret(password("Asa", [kSecMatchDiacriticInsensitive: true])) == letter)
    #expect(find(password("asa", [kSecMatchDiacriticInsensitive: true])).status == errSecItemNotFound)
    let both: Item = [kSecMatchDiacriticInsensitive: true, kSecMatchCaseInsensitive: true]
    #expect(secret(password("asa", both)) == letter)
    #expect(add(password("ｗｉｄｅ", [kSecValueData: otherLetter])).status == errSecSuccess)
    #expect(secret(password("wide", [kSecMatchWidthInsensitive: true])) == otherLetter)
    #expect(find(password("wide")).status == errSecItemNotFound)
  }

  @Test("a server belongs to a domain: it is the host, or lies below it")
  func domains() {
    for server in ["example.org", "mail.example.org", "badexample.org", "example.org.evil"] {
      #expect(add(internetPassword(server, [kSecValueData: Data(server.utf8)])).status == errSecSuccess)
    }
    let query: Item = [
      kSecClass: kSecClassInternetPassword, kSecMatchLimit: kSecMatchLimitAll, kSecReturnData: true,
      kSecMatchHostOrSubdomainOfHost: "example.org",
    ]
    #expect(find(query).array as? [Data] == ["example.org", "mail.example.org"].map { Data($0.utf8) })
    #expect(find(query, returning: [kSecMatchHostOrSubdomainOfHost: "org.evil"]).array?.count == 1)
    #expect(find(query, returning: [kSecMatchHostOrSubdomainOfHost: "net"]).status == errSecItemNotFound)
  }

  @Test("items that need no consent are found whatever the query says of asking")
  func authenticationUI() {
    #expect(add(password("ada", [kSecValueData: letter])).status == errSecSuccess)
    for way in [kSecUseAuthenticationUIAllow, kSecUseAuthenticationUIFail, kSecUseAuthenticationUISkip] {
      #expect(secret(password("ada", [kSecUseAuthenticationUI: way])) == letter)
    }
    #expect(secret(password("ada", [kSecUseOperationPrompt: "Why?"])) == letter)
    #expect(find(password("ada", [kSecUseAuthenticationContext: NSObject()])).status == errSecParam)
    #expect(secret(password("ada", [kSecUseNoAuthenticationUI: true])) == letter)
  }

  @Test("a certificate is found by each of the attributes that its reference brought")
  func searchByAttributes() throws {
    addCertificates()
    let attributes = try #require(
      find([kSecValueRef: ItemCertificates.ada], returning: [kSecReturnAttributes: true]).dictionary)
    for key in ["subj", "slnr", "skid", "pkhh", "labl"] {
      let value = try #require(attributes[key])
      #expect(names([key as CFString: value]) == [ada], "\(key)")
    }
    let issuer = try #require(SecCertificateCopyNormalizedIssuerSequence(ItemCertificates.ada)) as Data
    #expect(names([kSecAttrIssuer: issuer])?.count == 3, "the whole name is taken for an issuer, too")
    #expect(names([kSecAttrIssuer: Data([1, 2, 3])]) == [])
  }
}
