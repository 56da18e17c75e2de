import LatchkeyByteCoding

/// The state of a row when its inner layer and its data were sealed. The keys of its class have changed since. The inner layer
/// opens only with an application password, which a key change does not ask for, so it stays bound to this earlier state.
///
/// `UInt8` length and bytes of the sealed key's header, 16 bytes of the group's tag, `UInt64` epoch, least significant byte
/// first. The encoding is stored sealed, before the inner layer.
struct CarriedOrigin: Hashable, Sendable {
  /// The original ``ConstraintHeader`` of the sealed key.
  var header: [UInt8]
  var groupTag: [UInt8]
  var epoch: Int64

  func encode() -> [UInt8] {
    var writer = ByteWriter(capacity: 32 + header.count)
    writer.uint8(UInt8(truncatingIfNeeded: header.count))
    writer.append(header)
    writer.append(groupTag)
    writer.uint64(UInt64(bitPattern: epoch))
    return writer.bytes
  }

  /// Decodes the origin at the start of `bytes`, and returns the remaining bytes with it.
  ///
  /// - Throws: `ByteCodingError` for anything that ``encode()`` does not produce.
  static func decode(_ bytes: [UInt8]) throws(ByteCodingError) -> (origin: CarriedOrigin, rest: [UInt8]) {
    var reader = ByteReader(bytes)
    let header = try reader.bytes(Int(try reader.uint8("length of an earlier header")), "earlier header")
    let groupTag = try reader.bytes(AttributeTag.size, "earlier group of an item")
    let epoch = Int64(bitPattern: try reader.uint64("earlier epoch of an item"))
    return (CarriedOrigin(header: header, groupTag: groupTag, epoch: epoch), Array(bytes.suffix(reader.remaining)))
  }
}

extension ItemRow {
  /// The row with the values to which the inner layer is bound.
  func bound(to origin: CarriedOrigin?) -> ItemRow {
    guard let origin else { return self }
    var row = self
    row.groupTag = origin.groupTag
    row.epoch = origin.epoch
    return row
  }
}
