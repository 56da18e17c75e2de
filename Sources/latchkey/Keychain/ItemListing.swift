import LatchkeyCommandLine
import LatchkeyKeychainModel

/// An item as macOS's `security` lists it: where it is, its class, and all attributes that its class has there, in its order.
/// After these come ours: access group, accessibility, "synchronizable", and a key's token.
struct ItemListing {
  /// The file of the keychain.
  let path: String
  /// The number of its format.
  let format: Int

  /// The lines of `item`, its secret not among them.
  func lines(of item: StoredItem) -> [String] {
    var lines = heading(of: item.itemClass) + ["attributes:"]
    for column in Column.all(of: item.itemClass) {
      lines.append("    \(column.title)<\(column.format)>=\(Self.text(item.attributes[column.attribute]))")
    }
    lines.append("    \"agrp\"<blob>=\(SecurityToolText.buffer(item.accessGroup.utf8))")
    lines.append("    \"pdmn\"<blob>=\(SecurityToolText.buffer(item.accessibility.rawValue.utf8))")
    lines.append("    \"sync\"<uint32>=\(SecurityToolText.word(item.isSynchronizable ? 1 : 0))")
    if let token = item.attributes[.tokenID] { lines.append("    \"tkid\"<blob>=\(Self.text(token))") }
    return lines
  }

  /// What is known of locked items of a class without a key: that they are there.
  func lockedLines(_ itemClass: ItemClass, _ accessibility: Accessibility) -> [String] {
    heading(of: itemClass) + [
      "attributes: <locked>", "    \"pdmn\"<blob>=\(SecurityToolText.buffer(accessibility.rawValue.utf8))",
    ]
  }

  private func heading(of itemClass: ItemClass) -> [String] {
    let name =
      switch itemClass {
      // These have numbers of CSSM there, no four characters.
      case .certificate: SecurityToolText.word(0x8000_1000)
      case .key: SecurityToolText.word(0x10)
      default: SecurityToolText.buffer(itemClass.rawValue.utf8)
      }
    return ["keychain: \(SecurityToolText.buffer(path.utf8))", "version: \(format)", "class: \(name)"]
  }

  private static func text(_ value: AttributeValue?) -> String {
    switch value {
    case nil: "<NULL>"
    case .text(let text)?: SecurityToolText.buffer(text.utf8)
    case .bytes(let bytes)?: SecurityToolText.buffer(bytes)
    case .number(let number)?:
      UInt32(exactly: number).map(SecurityToolText.word) ?? SecurityToolText.buffer("\(number)".utf8)
    case .date(let seconds)?:
      KeychainTime.bytes(seconds).map { SecurityToolText.buffer($0) } ?? SecurityToolText.buffer("\(seconds)".utf8)
    }
  }

  /// One line: an attribute, and the name and the type that it has there.
  private struct Column {
    let title: String
    let format: String
    let attribute: ItemAttribute

    init(_ attribute: ItemAttribute, _ format: String = "blob", title: String? = nil) {
      self.title = title ?? "\"\(attribute)\""
      self.format = format
      self.attribute = attribute
    }

    static func all(of itemClass: ItemClass) -> [Column] {
      switch itemClass {
      case .genericPassword:
        names + [
          Column(.account), created, Column(.creator, "uint32"), Column(.hasCustomIcon, "sint32"),
          Column(.itemDescription), Column(.generic), Column(.comment), Column(.isInvisible, "sint32"), modified,
          Column(.isNegative, "sint32"), Column(.isProtected), Column(.scriptCode, "sint32"), Column(.service),
          Column(.type, "uint32"),
        ]
      case .internetPassword:
        names + [
          Column(.account), Column(.authenticationType), created, Column(.creator, "uint32"),
          Column(.hasCustomIcon, "sint32"), Column(.itemDescription), Column(.comment), Column(.isInvisible, "sint32"),
          modified, Column(.isNegative, "sint32"), Column(.path), Column(.port, "uint32"), Column(.isProtected),
          Column(.networkProtocol, "uint32"), Column(.scriptCode, "sint32"), Column(.securityDomain), Column(.server),
          Column(.type, "uint32"),
        ]
      case .certificate:
        [
          Column(.alias), Column(.certificateEncoding, "uint32"), Column(.certificateType, "uint32"),
          Column(.publicKeyHash, title: "\"hpky\""), Column(.issuer, title: "\"issu\""), Column(.label),
          Column(.subjectKeyID), Column(.serialNumber, title: "\"snbr\""), Column(.subject),
        ]
      case .key: numbered(keys)
      case .identity: []
      }
    }

    private static let names = [Column(.label, title: "0x00000007 "), Column(.alias, title: "0x00000008 ")]
    private static let created = Column(.creationDate, "timedate")
    private static let modified = Column(.modificationDate, "timedate")

    /// The attributes of a key, whose names there are their numbers from 0.
    private static let keys: [(ItemAttribute, String)] = [
      (.keyClass, "uint32"), (.label, "blob"), (.alias, "blob"), (.isPermanent, "uint32"), (.isPrivate, "uint32"),
      (.isModifiable, "uint32"), (.applicationLabel, "blob"), (.applicationTag, "blob"), (.creator, "blob"),
      (.type, "uint32"), (.keySizeInBits, "uint32"), (.effectiveKeySize, "uint32"), (.startDate, "blob"),
      (.endDate, "blob"), (.isSensitive, "uint32"), (.wasAlwaysSensitive, "uint32"), (.isExtractable, "uint32"),
      (.wasNeverExtractable, "uint32"), (.canEncrypt, "uint32"), (.canDecrypt, "uint32"), (.canDerive, "uint32"),
      (.canSign, "uint32"), (.canVerify, "uint32"), (.canSignRecover, "uint32"), (.canVerifyRecover, "uint32"),
      (.canWrap, "uint32"), (.canUnwrap, "uint32"),
    ]

    private static func numbered(_ attributes: [(ItemAttribute, String)]) -> [Column] {
      attributes.enumerated().map { number, attribute in
        Column(attribute.0, attribute.1, title: SecurityToolText.word(UInt32(number)))
      }
    }
  }
}
