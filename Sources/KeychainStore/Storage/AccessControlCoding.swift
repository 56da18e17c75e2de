import ByteCoding
import KeychainModel

/// A row's `acl` column: `UInt8` version 1, then the flags as `UInt64`, least significant byte first. An access control
/// without flags is no column at all: it says nothing that the accessibility does not.
enum AccessControlCoding {
  private static let version: UInt8 = 1

  static func encode(_ flags: AccessControl.Flags) -> [UInt8]? {
    if flags.isEmpty { return nil }
    var writer = ByteWriter(capacity: 9)
    writer.uint8(version)
    writer.uint64(UInt64(flags.rawValue))
    return writer.bytes
  }

  /// - Throws: `ByteCodingError` for anything that ``encode(_:)`` does not make.
  static func decode(_ bytes: [UInt8]?) throws(ByteCodingError) -> AccessControl.Flags {
    guard let bytes else { return [] }
    var reader = ByteReader(bytes)
    guard try reader.uint8("version of an access control") == version else {
      throw .invalidValue(field: "version of an access control")
    }
    let flags = AccessControl.Flags(rawValue: UInt(try reader.uint64("flags of an access control")))
    try reader.finish("access control")
    guard !flags.isEmpty, flags.isConsistent else { throw .invalidValue(field: "flags of an access control") }
    return flags
  }
}
