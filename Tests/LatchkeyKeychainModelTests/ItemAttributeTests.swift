import LatchkeyKeychainModel
import Testing

@Suite("ItemAttribute") struct ItemAttributeTests {
  @Test("The first of the four characters is the most significant byte of the code") func code() {
    #expect(ItemAttribute.account.code == 0x6163_6374)
    #expect(ItemAttribute("acct") == .account)
    #expect(ItemAttribute(code: 0x6163_6374) == .account)
  }

  @Test(
    "A name that has not exactly four printable ASCII characters names no attribute",
    arguments: [
      "", "a", "acc", "accts", " acct", "acct ", "accté", "acé", "éé", "acc\u{301}", "🔑", "acct\0", "\u{80}abc",
      "acc\0", "acc\n", "\u{1B}cct", "ac\tt", "acc\u{7F}",
    ])
  func refusedNames(_ name: String) {
    #expect(ItemAttribute(name) == nil)
    #expect(ItemAttribute(Substring(name)) == nil)
  }

  @Test("A name of another case is another attribute") func caseMatters() {
    #expect(ItemAttribute("ACCT") != .account)
    #expect(ItemAttribute("Acct")?.description == "Acct")
  }

  @Test("The description of an attribute names it again") func roundTrip() {
    for name in attributeNames { #expect(ItemAttribute(name)?.description == name) }
  }

  @Test("A code that is no ASCII is described without ending the program, and its description names no attribute")
  func hostileCodes() {
    for code: UInt32 in [0x8000_0000, 0x6163_63FF, 0xC3A9_6163, 0xF09F_9491, 0xEDA0_80FF, .max] {
      let description = ItemAttribute(code: code).description
      #expect(!description.isEmpty)
      #expect(ItemAttribute(description) == nil, "\(description)")
    }
  }

  @Test("Attributes are ordered as their four characters are") func order() {
    let attributes = attributeNames.compactMap { ItemAttribute($0) }
    #expect(attributes.sorted().map(\.description) == attributeNames.sorted())
    #expect(!(ItemAttribute.account < .account))
  }

  @Test("No two attributes have the same name") func distinct() {
    #expect(Set(attributeNames.compactMap { ItemAttribute($0) }).count == attributeNames.count)
  }

  /// The values of Apple's constants (`SecItemConstants.c`), of which apps write some by hand.
  @Test("The constants have the values of Apple's kSecAttr strings") func constants() {
    let constants: [(ItemAttribute, String)] = [
      (.account, "acct"), (.service, "svce"), (.generic, "gena"), (.securityDomain, "sdmn"), (.server, "srvr"),
      (.networkProtocol, "ptcl"), (.authenticationType, "atyp"), (.port, "port"), (.path, "path"),
      (.creationDate, "cdat"), (.modificationDate, "mdat"), (.itemDescription, "desc"), (.comment, "icmt"),
      (.creator, "crtr"), (.type, "type"), (.label, "labl"), (.isInvisible, "invi"), (.isNegative, "nega"),
      (.certificateType, "ctyp"), (.certificateEncoding, "cenc"), (.issuer, "issr"), (.serialNumber, "slnr"),
      (.subject, "subj"), (.subjectKeyID, "skid"), (.publicKeyHash, "pkhh"), (.keyClass, "kcls"),
      (.applicationLabel, "klbl"), (.applicationTag, "atag"), (.keySizeInBits, "bsiz"), (.effectiveKeySize, "esiz"),
      (.isPermanent, "perm"), (.isSensitive, "sens"), (.isExtractable, "extr"), (.canEncrypt, "encr"),
      (.canDecrypt, "decr"), (.canDerive, "drve"), (.canSign, "sign"), (.canVerify, "vrfy"), (.canWrap, "wrap"),
      (.canUnwrap, "unwp"), (.tokenID, "tkid"),
    ]
    for (attribute, name) in constants { #expect(attribute.description == name) }
  }
}
