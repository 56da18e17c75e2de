public import Foundation
import LatchkeyKeychainModel

/// The items of a keychain as one JSON document, which ``sealed(for:random:)`` puts into an age file.
///
/// The members: `format` ("latchkey-keychain"), `version` (1), `created` (RFC 3339, UTC), `items`, `excluded`. The page
/// <doc:The-document> describes them.
public struct KeychainDocument: Hashable, Sendable, Codable {
  /// The `format` of every document.
  public static let format = "latchkey-keychain"
  /// The version that this code writes, and the newest that it reads.
  public static let version = 1
  /// The maximum size of a document, in bytes.
  public static let maximumSize = ArchiveJSON.maximumSize

  /// ``format``.
  public private(set) var format = KeychainDocument.format
  /// ``version``.
  public private(set) var version = KeychainDocument.version
  /// The time of creation.
  public var created: Date
  /// The items, in the order in which they were added, class by class.
  public var items: [Item]
  /// The keychain's other items, and why they are excluded.
  public var excluded: [Excluded]

  /// Creates a document.
  public init(created: Date, items: [Item], excluded: [Excluded]) {
    self.created = created
    self.items = items
    self.excluded = excluded
  }

  /// One item.
  public struct Item: Hashable, Sendable, Codable {
    /// `genp`, `inet`, `cert` or `keys`, as `kSecClass` spells it.
    public var itemClass: String
    /// The access group.
    public var accessGroup: String
    /// As `kSecAttrAccessible` spells it: `ak`, `ck`, `dk`, `aku`, `cku`, `dku` or `akpu`.
    public var accessible: String
    /// Whether the item is synchronizable.
    public var synchronizable: Bool
    /// The flags of `SecAccessControlCreateFlags`; absent if there are none.
    public var accessControl: UInt64?
    /// The attributes, by their four characters as `kSecAttr…` constants spell them.
    public var attributes: [String: Value]
    /// The secret, in Base64; absent if the item has none.
    public var data: Data?

    /// Creates an item.
    public init(
      itemClass: String, accessGroup: String, accessible: String, synchronizable: Bool, accessControl: UInt64? = nil,
      attributes: [String: Value], data: Data?
    ) {
      self.itemClass = itemClass
      self.accessGroup = accessGroup
      self.accessible = accessible
      self.synchronizable = synchronizable
      self.accessControl = accessControl
      self.attributes = attributes
      self.data = data
    }

    enum CodingKeys: String, CodingKey {
      case itemClass = "class"
      case accessGroup, accessible, synchronizable, accessControl, attributes, data
    }
  }

  /// The value of an attribute: an object with one member, whose name is the value's type.
  public enum Value: Hashable, Sendable {
    /// `text`: a string.
    case text(String)
    /// `bytes`: Base64.
    case bytes(Data)
    /// `number`: a whole number.
    case number(Int64)
    /// `date`: seconds since 2001-01-01 00:00:00 UTC.
    case date(Double)
  }

  /// An item that is not in the document.
  public struct Excluded: Hashable, Sendable, Codable {
    /// As ``Item/itemClass``.
    public var itemClass: String
    /// The access group.
    public var accessGroup: String
    /// Its display name: its label, or service and account.
    public var name: String
    /// The reason for its exclusion.
    public var reason: Reason

    /// Creates an excluded item.
    public init(itemClass: String, accessGroup: String, name: String, reason: Reason) {
      self.itemClass = itemClass
      self.accessGroup = accessGroup
      self.name = name
      self.reason = reason
    }

    enum CodingKeys: String, CodingKey {
      case itemClass = "class"
      case accessGroup, name, reason
    }
  }

  /// A reason for excluding an item from the document.
  public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
    /// Its accessibility ends in `ThisDeviceOnly`.
    case thisDeviceOnly
    /// It is a key of the enclave, which never leaves.
    case enclaveKey
    /// Its access control requires a user's consent, and the options have none.
    case guarded
  }
}

extension KeychainDocument.Value: Codable {
  private enum Member: String, CodingKey { case text, bytes, number, date }

  /// Decodes an object with exactly one member.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Member.self)
    guard container.allKeys.count == 1, let member = container.allKeys.first else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "a value has one of text, bytes, number and date"))
    }
    switch member {
    case .text: self = .text(try container.decode(String.self, forKey: .text))
    case .bytes: self = .bytes(try container.decode(Data.self, forKey: .bytes))
    case .number: self = .number(try container.decode(Int64.self, forKey: .number))
    case .date: self = .date(try container.decode(Double.self, forKey: .date))
    }
  }

  /// Encodes an object with one member, named for the type.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Member.self)
    switch self {
    case .text(let text): try container.encode(text, forKey: .text)
    case .bytes(let bytes): try container.encode(bytes, forKey: .bytes)
    case .number(let number): try container.encode(number, forKey: .number)
    case .date(let seconds): try container.encode(seconds, forKey: .date)
    }
  }

  /// The attribute's value in the keychain's type.
  var attribute: AttributeValue {
    switch self {
    case .text(let text): .text(text)
    case .bytes(let bytes): .bytes([UInt8](bytes))
    case .number(let number): .number(number)
    case .date(let seconds): .date(seconds)
    }
  }

  init(_ value: AttributeValue) {
    self =
      switch value {
      case .text(let text): .text(text)
      case .bytes(let bytes): .bytes(Data(bytes))
      case .number(let number): .number(number)
      case .date(let seconds): .date(seconds)
      }
  }
}
