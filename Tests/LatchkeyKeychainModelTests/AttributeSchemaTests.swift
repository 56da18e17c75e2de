import LatchkeyKeychainModel
import Testing

@Suite("AttributeSchema") struct AttributeSchemaTests {
  /// `SecItemSchema.c`, by the four characters.
  private static let blobs: [ItemClass: [String]] = [
    .genericPassword: ["acct", "svce", "gena", "desc", "icmt", "labl", "alis", "tkid"],
    .internetPassword: ["acct", "sdmn", "srvr", "path", "desc", "icmt", "labl", "alis", "tkid"],
    .certificate: ["issr", "slnr", "labl", "alis", "subj", "skid", "pkhh", "tkid"],
    .key: ["klbl", "atag", "labl", "alis", "tkid"],
  ]
  private static let numbers: [ItemClass: [String]] = [
    .genericPassword: ["crtr", "type", "scrp", "invi", "nega", "cusi", "prot"],
    .internetPassword: ["ptcl", "atyp", "port", "crtr", "type", "scrp", "invi", "nega", "cusi", "prot"],
    .certificate: ["ctyp", "cenc"],
    .key: [
      "kcls", "crtr", "type", "bsiz", "esiz", "perm", "priv", "modi", "sens", "asen", "extr", "next", "encr", "decr",
      "drve", "sign", "vrfy", "snrc", "vyrc", "wrap", "unwp",
    ],
  ]
  private static let dates: [ItemClass: [String]] = [
    .genericPassword: ["cdat", "mdat"], .internetPassword: ["cdat", "mdat"], .certificate: ["cdat", "mdat"],
    .key: ["cdat", "mdat", "sdat", "edat"],
  ]

  private func expectedKind(_ name: String, _ itemClass: ItemClass) -> AttributeSchema.Kind? {
    if Self.blobs[itemClass]?.contains(name) == true { return .blob }
    if Self.numbers[itemClass]?.contains(name) == true { return .number }
    return Self.dates[itemClass]?.contains(name) == true ? .date : nil
  }

  @Test("Each class has the attributes of Apple's schema, of their kinds, and no other", arguments: ItemClass.stored)
  func kinds(_ itemClass: ItemClass) throws {
    for name in attributeNames {
      let attribute = try #require(ItemAttribute(name))
      #expect(AttributeSchema.kind(of: attribute, in: itemClass) == expectedKind(name, itemClass), "\(name)")
    }
    let expected = attributeNames.filter { expectedKind($0, itemClass) != nil }
    #expect(AttributeSchema.attributes(of: itemClass).map(\.description).sorted() == expected.sorted())
  }

  @Test("No class has the attributes that decide access to an item", arguments: ItemClass.allCases)
  func typedElsewhere(_ itemClass: ItemClass) throws {
    for name in ["agrp", "pdmn", "sync", "accc", "tomb", "data", "UUID", "sha1", "pkey"] {
      let attribute = try #require(ItemAttribute(name))
      #expect(AttributeSchema.kind(of: attribute, in: itemClass) == nil, "\(name)")
    }
  }

  @Test("An attribute with a case or a bit changed is in no class", arguments: ItemClass.allCases)
  func changedNames(_ itemClass: ItemClass) throws {
    for name in attributeNames {
      let upper = try #require(ItemAttribute(name.uppercased()))
      #expect(AttributeSchema.kind(of: upper, in: itemClass) == nil, "\(name)")
      let code = try #require(ItemAttribute(name)).code
      #expect(AttributeSchema.kind(of: ItemAttribute(code: code | 0x8000_0000), in: itemClass) == nil, "\(name)")
      #expect(AttributeSchema.kind(of: ItemAttribute(code: code.byteSwapped), in: itemClass) == nil, "\(name)")
    }
    for code: UInt32 in [0, .max] {
      #expect(AttributeSchema.kind(of: ItemAttribute(code: code), in: itemClass) == nil)
    }
  }

  @Test("A password for a service has no server, and a password for a server has no service") func passwords() {
    for attribute: ItemAttribute in [.server, .securityDomain, .networkProtocol, .authenticationType, .port, .path] {
      #expect(AttributeSchema.kind(of: attribute, in: .genericPassword) == nil, "\(attribute)")
    }
    for attribute: ItemAttribute in [.service, .generic] {
      #expect(AttributeSchema.kind(of: attribute, in: .internetPassword) == nil, "\(attribute)")
    }
  }

  @Test("An identity has the attributes of certificates and of keys, and none of passwords alone") func identity()
    throws
  {
    for name in attributeNames {
      let attribute = try #require(ItemAttribute(name))
      let expected = expectedKind(name, .certificate) ?? expectedKind(name, .key)
      #expect(AttributeSchema.kind(of: attribute, in: .identity) == expected, "\(name)")
    }
    let own = Set(AttributeSchema.attributes(of: .identity))
    #expect(
      own
        == Set(AttributeSchema.attributes(of: .certificate)).union(AttributeSchema.attributes(of: .key)))
    #expect(!own.contains(.account) && !own.contains(.service) && !own.contains(.server))
  }

  @Test("The primary keys are those of Apple's schema, in its order") func primaryKeys() {
    func names(_ itemClass: ItemClass) -> [String] {
      AttributeSchema.primaryKey(of: itemClass).map(\.description)
    }
    #expect(names(.genericPassword) == ["acct", "svce"])
    #expect(names(.internetPassword) == ["acct", "sdmn", "srvr", "ptcl", "atyp", "port", "path"])
    #expect(names(.certificate) == ["ctyp", "issr", "slnr"])
    #expect(
      names(.key) == ["kcls", "klbl", "atag", "crtr", "type", "bsiz", "esiz", "sdat", "edat", "tkid"])
    #expect(names(.identity).isEmpty)
  }

  @Test("A primary key names only attributes of its class, each once, and no label or date of creation")
  func primaryKeyAttributes() {
    for itemClass in ItemClass.allCases {
      let primaryKey = AttributeSchema.primaryKey(of: itemClass)
      #expect(Set(primaryKey).count == primaryKey.count)
      for attribute in primaryKey { #expect(AttributeSchema.kind(of: attribute, in: itemClass) != nil) }
      for attribute: ItemAttribute in [.label, .creationDate, .modificationDate, .comment] {
        #expect(!primaryKey.contains(attribute))
      }
    }
  }

  @Test("A class lists each of its attributes once", arguments: ItemClass.allCases)
  func attributesOnce(_ itemClass: ItemClass) {
    let attributes = AttributeSchema.attributes(of: itemClass)
    #expect(Set(attributes).count == attributes.count)
  }
}
