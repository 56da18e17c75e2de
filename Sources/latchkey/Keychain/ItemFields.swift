import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyKeychainModel

/// The fields of an item with `--json`.
enum ItemFields {
  /// The fields of `item`; its secret only if `showsSecret`.
  static func fields(of item: StoredItem, showsSecret: Bool = false) -> [(key: String, value: JSONLine.Value)] {
    var fields: [(key: String, value: JSONLine.Value)] = [
      ("class", .text(item.itemClass.rawValue)),
      ("reference", .text(Hexadecimal.encode(item.reference.bytes))),
      ("accessGroup", .text(item.accessGroup)),
      ("accessible", .text(item.accessibility.commandName)),
      ("synchronizable", .boolean(item.isSynchronizable)),
    ]
    for (attribute, value) in item.attributes.sorted(by: { $0.key < $1.key }) {
      fields.append(field(names[attribute] ?? "\(attribute)", value))
    }
    if showsSecret {
      let data = item.data ?? []
      fields.append(("password", String(validating: data, as: UTF8.self).map { .text($0) } ?? .null))
      fields.append(("data", .text(Hexadecimal.encode(data))))
    }
    return fields
  }

  /// The names of the fields, for `--help`.
  static let help = """
    class, reference (in digits), accessGroup, accessible, synchronizable, and each attribute that is set: account, \
    service, server, label, creationDate, … An attribute that a program stored as bytes comes as digits, under its name \
    with Hex at the end
    """

  private static func field(_ name: String, _ value: AttributeValue) -> (key: String, value: JSONLine.Value) {
    switch value {
    case .text(let text): (name, .text(text))
    case .bytes(let bytes): ("\(name)Hex", .text(Hexadecimal.encode(bytes)))
    case .number(let number): (name, .integer(Int(number)))
    case .date(let seconds): (name, KeychainTime.text(seconds).map { .text($0) } ?? .number(seconds))
    }
  }

  private static let names: [ItemAttribute: String] = [
    .account: "account", .service: "service", .generic: "generic", .securityDomain: "securityDomain",
    .server: "server", .networkProtocol: "protocol", .authenticationType: "authenticationType", .port: "port",
    .path: "path", .creationDate: "creationDate", .modificationDate: "modificationDate", .itemDescription: "kind",
    .comment: "comment", .creator: "creator", .type: "type", .scriptCode: "scriptCode", .label: "label",
    .alias: "alias", .isInvisible: "isInvisible", .isNegative: "isNegative", .hasCustomIcon: "hasCustomIcon",
    .isProtected: "isProtected", .certificateType: "certificateType", .certificateEncoding: "certificateEncoding",
    .issuer: "issuer", .serialNumber: "serialNumber", .subject: "subject", .subjectKeyID: "subjectKeyID",
    .publicKeyHash: "publicKeyHash", .keyClass: "keyClass", .applicationLabel: "applicationLabel",
    .applicationTag: "applicationTag", .keySizeInBits: "keySizeInBits", .effectiveKeySize: "effectiveKeySize",
    .startDate: "startDate", .endDate: "endDate", .isPermanent: "isPermanent", .isPrivate: "isPrivate",
    .isModifiable: "isModifiable", .isSensitive: "isSensitive", .wasAlwaysSensitive: "wasAlwaysSensitive",
    .isExtractable: "isExtractable", .wasNeverExtractable: "wasNeverExtractable", .canEncrypt: "canEncrypt",
    .canDecrypt: "canDecrypt", .canDerive: "canDerive", .canSign: "canSign", .canVerify: "canVerify",
    .canSignRecover: "canSignRecover", .canVerifyRecover: "canVerifyRecover", .canWrap: "canWrap",
    .canUnwrap: "canUnwrap", .tokenID: "tokenID",
  ]
}
