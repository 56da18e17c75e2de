public import LatchkeyByteCoding

/// A permanent reference to one stored item (`kSecValuePersistentRef`): its class and UUID, 20 bytes.
public struct PersistentReference: Hashable, Sendable {
  /// The class of the item.
  public let itemClass: ItemClass
  /// The item's UUID: 16 bytes, assigned when the item was added.
  public let uuid: [UInt8]

  /// Creates a reference to the item of `itemClass` with this UUID.
  ///
  /// - Throws: `ByteCodingError` if the UUID has not 16 bytes.
  public init(itemClass: ItemClass, uuid: [UInt8]) throws(ByteCodingError) {
    guard uuid.count == 16 else { throw .invalidValue(field: "UUID of a persistent reference") }
    self.init(itemClass, uuid)
  }

  private init(_ itemClass: ItemClass, _ uuid: [UInt8]) {
    self.itemClass = itemClass
    self.uuid = uuid
  }

  /// The reference to the item of another class that has the same UUID: an identity has that of its certificate.
  package func asReference(to itemClass: ItemClass) -> PersistentReference { PersistentReference(itemClass, uuid) }

  /// The four characters of the class, then the UUID.
  public var bytes: [UInt8] { Array(itemClass.rawValue.utf8) + uuid }

  /// Decodes ``bytes``.
  ///
  /// - Throws: `ByteCodingError` if the length is not 20 bytes, or the class is unknown.
  public init(bytes: [UInt8]) throws(ByteCodingError) {
    var reader = ByteReader(bytes)
    let name = try reader.bytes(4, "class of a persistent reference")
    let uuid = try reader.bytes(16, "UUID of a persistent reference")
    try reader.finish("persistent reference")
    guard let itemClass = ItemClass(rawValue: String(decoding: name, as: UTF8.self)) else {
      throw .invalidValue(field: "class of a persistent reference")
    }
    self.init(itemClass, uuid)
  }
}
