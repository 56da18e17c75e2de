/// The name of one attribute of an item: four characters, as in Apple's `kSecAttr…` strings.
///
/// Access group, accessibility, access control and "synchronizable" are not attributes here: they control access to the
/// item, and have typed properties of their own (``NewItem``, ``ItemQuery``, ``StoredItem``).
public struct ItemAttribute: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The four characters, the first one in the most significant byte.
  public let code: UInt32

  /// Creates the attribute with this code.
  public init(code: UInt32) { self.code = code }

  /// Creates the attribute with this name of four printable ASCII characters; nil for any other text.
  public init?(_ name: some StringProtocol) {
    let utf8 = name.utf8
    guard utf8.count == 4, utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
    code = utf8.reduce(0) { $0 << 8 | UInt32($1) }
  }

  private init(_ name: StaticString) {
    code = name.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
  }

  /// The four characters.
  public var description: String {
    String(decoding: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> $0) }, as: UTF8.self)
  }

  /// Orders attributes by their four characters.
  public static func < (a: ItemAttribute, b: ItemAttribute) -> Bool { a.code < b.code }
}

/// All attributes of all classes. The comments name Apple's constants.
extension ItemAttribute {
  /// `kSecAttrAccount`.
  public static let account = ItemAttribute("acct" as StaticString)
  /// `kSecAttrService`.
  public static let service = ItemAttribute("svce" as StaticString)
  /// `kSecAttrGeneric`.
  public static let generic = ItemAttribute("gena" as StaticString)
  /// `kSecAttrSecurityDomain`.
  public static let securityDomain = ItemAttribute("sdmn" as StaticString)
  /// `kSecAttrServer`.
  public static let server = ItemAttribute("srvr" as StaticString)
  /// `kSecAttrProtocol`.
  public static let networkProtocol = ItemAttribute("ptcl" as StaticString)
  /// `kSecAttrAuthenticationType`.
  public static let authenticationType = ItemAttribute("atyp" as StaticString)
  /// `kSecAttrPort`.
  public static let port = ItemAttribute("port" as StaticString)
  /// `kSecAttrPath`.
  public static let path = ItemAttribute("path" as StaticString)
  /// `kSecAttrCreationDate`.
  public static let creationDate = ItemAttribute("cdat" as StaticString)
  /// `kSecAttrModificationDate`.
  public static let modificationDate = ItemAttribute("mdat" as StaticString)
  /// `kSecAttrDescription`.
  public static let itemDescription = ItemAttribute("desc" as StaticString)
  /// `kSecAttrComment`.
  public static let comment = ItemAttribute("icmt" as StaticString)
  /// `kSecAttrCreator`.
  public static let creator = ItemAttribute("crtr" as StaticString)
  /// `kSecAttrType`; of a key, `kSecAttrKeyType`.
  public static let type = ItemAttribute("type" as StaticString)
  /// The script code of a password item; no public constant.
  public static let scriptCode = ItemAttribute("scrp" as StaticString)
  /// `kSecAttrLabel`.
  public static let label = ItemAttribute("labl" as StaticString)
  /// The alias; no public constant.
  public static let alias = ItemAttribute("alis" as StaticString)
  /// `kSecAttrIsInvisible`.
  public static let isInvisible = ItemAttribute("invi" as StaticString)
  /// `kSecAttrIsNegative`.
  public static let isNegative = ItemAttribute("nega" as StaticString)
  /// Whether the item has an icon of its own; no public constant.
  public static let hasCustomIcon = ItemAttribute("cusi" as StaticString)
  /// `kSecProtectedDataItemAttr` of older systems.
  public static let isProtected = ItemAttribute("prot" as StaticString)
  /// `kSecAttrCertificateType`.
  public static let certificateType = ItemAttribute("ctyp" as StaticString)
  /// `kSecAttrCertificateEncoding`.
  public static let certificateEncoding = ItemAttribute("cenc" as StaticString)
  /// `kSecAttrIssuer`.
  public static let issuer = ItemAttribute("issr" as StaticString)
  /// `kSecAttrSerialNumber`.
  public static let serialNumber = ItemAttribute("slnr" as StaticString)
  /// `kSecAttrSubject`.
  public static let subject = ItemAttribute("subj" as StaticString)
  /// `kSecAttrSubjectKeyID`.
  public static let subjectKeyID = ItemAttribute("skid" as StaticString)
  /// `kSecAttrPublicKeyHash`.
  public static let publicKeyHash = ItemAttribute("pkhh" as StaticString)
  /// `kSecAttrKeyClass`.
  public static let keyClass = ItemAttribute("kcls" as StaticString)
  /// `kSecAttrApplicationLabel`.
  public static let applicationLabel = ItemAttribute("klbl" as StaticString)
  /// `kSecAttrApplicationTag`.
  public static let applicationTag = ItemAttribute("atag" as StaticString)
  /// `kSecAttrKeySizeInBits`.
  public static let keySizeInBits = ItemAttribute("bsiz" as StaticString)
  /// `kSecAttrEffectiveKeySize`.
  public static let effectiveKeySize = ItemAttribute("esiz" as StaticString)
  /// The first day of a key's use; no public constant.
  public static let startDate = ItemAttribute("sdat" as StaticString)
  /// The last day of a key's use; no public constant.
  public static let endDate = ItemAttribute("edat" as StaticString)
  /// `kSecAttrIsPermanent`.
  public static let isPermanent = ItemAttribute("perm" as StaticString)
  /// `kSecAttrIsPrivate`.
  public static let isPrivate = ItemAttribute("priv" as StaticString)
  /// `kSecAttrIsModifiable`.
  public static let isModifiable = ItemAttribute("modi" as StaticString)
  /// `kSecAttrIsSensitive`.
  public static let isSensitive = ItemAttribute("sens" as StaticString)
  /// Whether a key was always sensitive; no public constant.
  public static let wasAlwaysSensitive = ItemAttribute("asen" as StaticString)
  /// `kSecAttrIsExtractable`.
  public static let isExtractable = ItemAttribute("extr" as StaticString)
  /// Whether a key was never extractable; no public constant.
  public static let wasNeverExtractable = ItemAttribute("next" as StaticString)
  /// `kSecAttrCanEncrypt`.
  public static let canEncrypt = ItemAttribute("encr" as StaticString)
  /// `kSecAttrCanDecrypt`.
  public static let canDecrypt = ItemAttribute("decr" as StaticString)
  /// `kSecAttrCanDerive`.
  public static let canDerive = ItemAttribute("drve" as StaticString)
  /// `kSecAttrCanSign`.
  public static let canSign = ItemAttribute("sign" as StaticString)
  /// `kSecAttrCanVerify`.
  public static let canVerify = ItemAttribute("vrfy" as StaticString)
  /// Whether a key signs with recovery; no public constant.
  public static let canSignRecover = ItemAttribute("snrc" as StaticString)
  /// Whether a key verifies with recovery; no public constant.
  public static let canVerifyRecover = ItemAttribute("vyrc" as StaticString)
  /// `kSecAttrCanWrap`.
  public static let canWrap = ItemAttribute("wrap" as StaticString)
  /// `kSecAttrCanUnwrap`.
  public static let canUnwrap = ItemAttribute("unwp" as StaticString)
  /// `kSecAttrTokenID`: the token that holds a key; absent for a key of the keychain itself.
  public static let tokenID = ItemAttribute("tkid" as StaticString)
}
