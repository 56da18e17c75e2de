import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// The values of attributes: the kind of the attribute decides which values are accepted, and in which type they return.
@Suite("Values of attributes", .temporaryKeychain)
struct SecItemCoercionTests {
  struct Value: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let given: @Sendable () -> Any
    let found: @Sendable () -> NSObject

    init(_ name: String, _ given: @escaping @Sendable () -> Any, _ found: @escaping @Sendable () -> NSObject) {
      testDescription = name
      self.given = given
      self.found = found
    }
  }

  static let blobs: [Value] = [
    Value("text", { "text" }, { "text" as NSString }),
    Value("an empty text", { "" }, { "" as NSString }),
    Value("text beyond ASCII", { "Å/å/😀" }, { "Å/å/😀" as NSString }),
    Value("a text that looks like a number", { "42" }, { "42" as NSString }),
    Value("a mutable text", { NSMutableString(string: "m") }, { "m" as NSString }),
    Value("data", { Data([0, 255, 128]) }, { Data([0, 255, 128]) as NSData }),
    Value("empty data", { Data() }, { NSData() }),
    Value("mutable data", { NSMutableData(data: Data([1])) }, { Data([1]) as NSData }),
    Value("a number", { 42 }, { NSNumber(value: 42) }),
    Value("a negative number", { -1 }, { NSNumber(value: -1) }),
    Value("the least number", { Int64.min }, { NSNumber(value: Int64.min) }),
    Value("a number that happens to be whole", { 2.0 }, { NSNumber(value: 2) }),
  ]

  @Test("a blob keeps the type it was given", arguments: blobs)
  func blob(value: Value) throws {
    #expect(add(password("ada", [kSecAttrGeneric: value.given()])).status == errSecSuccess)
    let found = try #require(attributes(password("ada", [kSecAttrGeneric: value.given()])))
    #expect(found["gena"] as? NSObject == value.found())
    #expect(find(password("ada", [kSecAttrGeneric: "something else"])).status == errSecItemNotFound)
  }

  static let numbers: [Value] = [
    Value("a number", { 42 }, { NSNumber(value: 42) }),
    Value("true", { true }, { NSNumber(value: 1) }),
    Value("false", { false }, { NSNumber(value: 0) }),
    Value("decimal text", { "42" }, { NSNumber(value: 42) }),
    Value("negative decimal text", { "-7" }, { NSNumber(value: -7) }),
    Value("the greatest number of 32 bits as text", { "2147483647" }, { NSNumber(value: 2_147_483_647) }),
    Value("text beyond 32 bits", { "2147483648" }, { "2147483648" as NSString }),
    Value("decimal text with a zero before it", { "042" }, { "042" as NSString }),
    Value("decimal text with a sign", { "+42" }, { "+42" as NSString }),
    Value("decimal text with a space", { " 42" }, { " 42" as NSString }),
    Value("text", { "http" }, { "http" as NSString }),
    Value("an empty text", { "" }, { "" as NSString }),
  ]

  @Test("a number is a number, or a text that is none", arguments: numbers)
  func number(value: Value) throws {
    #expect(add(password("ada", [kSecAttrType: value.given()])).status == errSecSuccess)
    let found = try #require(attributes(password("ada", [kSecAttrType: value.given()])))
    #expect(found["type"] as? NSObject == value.found())
    #expect(find(password("ada", [kSecAttrType: 43])).status == errSecItemNotFound)
  }

  @Test("a key's class is one and the same as text and as number", arguments: ["0", "1", "2"])
  func keyClass(text: String) throws {
    #expect(add(key("tag", [kSecAttrKeyClass: text])).status == errSecSuccess)
    let number = try #require(Int(text))
    #expect(add(key("tag", [kSecAttrKeyClass: number])).status == errSecDuplicateItem)
    let found = try #require(attributes(key("tag", [kSecAttrKeyClass: number])))
    #expect(found["kcls"] as? Int == number)
    #expect(found["type"] as? Int == 73)
    #expect(found["bsiz"] as? Int == 256)
  }

  @Test("a text and the same bytes are equal, for a query and for a key")
  func textAndBytes() {
    #expect(add(password("ada")).status == errSecSuccess)
    let asData: Item = [
      kSecClass: kSecClassGenericPassword, kSecAttrAccount: Data("ada".utf8), kSecAttrService: Data("post".utf8),
    ]
    #expect(find(asData).status == errSecSuccess)
    #expect(add(asData).status == errSecDuplicateItem)
  }

  @Test("texts are compared by their bytes: composed and decomposed are two")
  func composition() {
    #expect(add(password("\u{E5}")).status == errSecSuccess)
    #expect(find(password("a\u{30A}")).status == errSecItemNotFound)
    #expect(add(password("a\u{30A}")).status == errSecSuccess)
  }

  @Test("an absent attribute of the key counts as an empty one")
  func absentAttribute() {
    #expect(add([kSecClass: kSecClassGenericPassword]).status == errSecSuccess)
    #expect(add([kSecClass: kSecClassGenericPassword, kSecAttrAccount: ""]).status == errSecDuplicateItem)
    #expect(find([kSecClass: kSecClassGenericPassword, kSecAttrService: ""]).status == errSecSuccess)
    #expect(find([kSecClass: kSecClassGenericPassword, kSecAttrService: "x"]).status == errSecItemNotFound)
  }

  @Test("A creation date is stored to the bit, and found")
  func dates() throws {
    let moment = Date(timeIntervalSinceReferenceDate: 123456789.123456789)
    #expect(add(password("ada", [kSecAttrCreationDate: moment])).status == errSecSuccess)
    let found = try #require(attributes(password("ada", [kSecAttrCreationDate: moment])))
    #expect(found["cdat"] as? Date == moment)
    let other = moment.addingTimeInterval(1e-6)
    #expect(find(password("ada", [kSecAttrCreationDate: other])).status == errSecItemNotFound)
  }

  @Test(
    "an attribute outside of the primary key does not make another item",
    arguments: [kSecAttrGeneric, kSecAttrLabel, kSecAttrDescription, kSecAttrComment].map { $0 as String })
  func outsideOfKey(name: String) {
    #expect(add(password("ada", [name as CFString: "one"])).status == errSecSuccess)
    #expect(add(password("ada", [name as CFString: "two"])).status == errSecDuplicateItem)
    #expect(
      add(password("ada", [kSecAttrAccessible: kSecAttrAccessibleAlways])).status == errSecDuplicateItem)
  }

  @Test(
    "each attribute of an internet password's key makes another item",
    arguments: [
      kSecAttrAccount, kSecAttrSecurityDomain, kSecAttrServer, kSecAttrProtocol, kSecAttrAuthenticationType,
      kSecAttrPort, kSecAttrPath,
    ].map { $0 as String })
  func insideOfKey(name: String) {
    #expect(add(internetPassword()).status == errSecSuccess)
    #expect(add(internetPassword("example.org", [name as CFString: "9"])).status == errSecSuccess)
    #expect(add(internetPassword("example.org", [name as CFString: "9"])).status == errSecDuplicateItem)
  }

  @Test("The seven accessibilities are stored, and found", .temporaryKeychain(passcode: "correct horse"))
  func accessibilities() {
    for code in ["ak", "ck", "dk", "aku", "cku", "dku", "akpu"] {
      #expect(add(password(code, [kSecAttrAccessible: code])).status == errSecSuccess)
      #expect(attributes(password(code))?["pdmn"] as? String == code)
      #expect(count([kSecClass: kSecClassGenericPassword, kSecAttrAccessible: code]) == 1)
    }
  }
}
