/// The schema of each item class: its attributes, the kinds of their values, and the primary key.
///
/// It follows Apple's item schema (Security-61901, `SecItemSchema.c`): an attribute that is not in its class's list is
/// refused with `errSecNoSuchAttr`.
public enum AttributeSchema {
  /// The kind of value that an attribute accepts.
  public enum Kind: Hashable, Sendable {
    /// A text, bytes or a number, stored in the type of the caller's value.
    case blob
    /// A number or Boolean; decimal text becomes a number, any other text stays a text.
    case number
    /// A point in time.
    case date
  }

  /// The kind of the values that `attribute` accepts in items of `itemClass`; nil if that class has no such attribute.
  public static func kind(of attribute: ItemAttribute, in itemClass: ItemClass) -> Kind? {
    if itemClass == .identity {
      return kinds[.certificate]?[attribute] ?? kinds[.key]?[attribute]
    }
    return kinds[itemClass]?[attribute]
  }

  /// All attributes of items of `itemClass`, each once, unordered; an identity has those of certificates and those of keys.
  public static func attributes(of itemClass: ItemClass) -> [ItemAttribute] {
    if itemClass == .identity { return Array(Set(attributes(of: .certificate) + attributes(of: .key))) }
    return kinds[itemClass].map { Array($0.keys) } ?? []
  }

  /// The attributes that, with the access group and "synchronizable", distinguish an item from all others of its class, in
  /// the order in which they enter the unique tag. An absent one counts as empty or 0.
  public static func primaryKey(of itemClass: ItemClass) -> [ItemAttribute] {
    switch itemClass {
    case .genericPassword: [.account, .service]
    case .internetPassword:
      [.account, .securityDomain, .server, .networkProtocol, .authenticationType, .port, .path]
    case .certificate: [.certificateType, .issuer, .serialNumber]
    case .key:
      [
        .keyClass, .applicationLabel, .applicationTag, .creator, .type, .keySizeInBits, .effectiveKeySize, .startDate,
        .endDate, .tokenID,
      ]
    case .identity: []
    }
  }

  private static let kinds: [ItemClass: [ItemAttribute: Kind]] = [
    .genericPassword: table(
      blobs: [.account, .service, .generic] + passwordBlobs, numbers: passwordNumbers, dates: creationDates),
    .internetPassword: table(
      blobs: [.account, .securityDomain, .server, .path] + passwordBlobs,
      numbers: [.networkProtocol, .authenticationType, .port] + passwordNumbers, dates: creationDates),
    .certificate: table(
      blobs: [.issuer, .serialNumber, .label, .alias, .subject, .subjectKeyID, .publicKeyHash, .tokenID],
      numbers: [.certificateType, .certificateEncoding], dates: creationDates),
    .key: table(
      blobs: [.applicationLabel, .applicationTag, .label, .alias, .tokenID],
      numbers: [
        .keyClass, .creator, .type, .keySizeInBits, .effectiveKeySize, .isPermanent, .isPrivate, .isModifiable,
        .isSensitive, .wasAlwaysSensitive, .isExtractable, .wasNeverExtractable, .canEncrypt, .canDecrypt, .canDerive,
        .canSign, .canVerify, .canSignRecover, .canVerifyRecover, .canWrap, .canUnwrap,
      ],
      dates: [.startDate, .endDate] + creationDates),
  ]
  private static let passwordBlobs: [ItemAttribute] = [.itemDescription, .comment, .label, .alias, .tokenID]
  private static let passwordNumbers: [ItemAttribute] = [
    .creator, .type, .scriptCode, .isInvisible, .isNegative, .hasCustomIcon, .isProtected,
  ]
  private static let creationDates: [ItemAttribute] = [.creationDate, .modificationDate]

  private static func table(
    blobs: [ItemAttribute], numbers: [ItemAttribute], dates: [ItemAttribute]
  ) -> [ItemAttribute: Kind] {
    var table: [ItemAttribute: Kind] = [:]
    for attribute in blobs { table[attribute] = .blob }
    for attribute in numbers { table[attribute] = .number }
    for attribute in dates { table[attribute] = .date }
    return table
  }
}
