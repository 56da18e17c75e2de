package import LatchkeyByteCoding

/// The encoding of authenticator names in a header: `UInt8` count, then for each name `UInt16` length and its bytes in UTF-8,
/// without duplicates. Least significant byte first.
package enum AuthenticatorList {
  /// The limit of names.
  package static let maximumCount = 16
  /// The limit of a name, in bytes.
  package static let maximumName = 512

  /// The stored placeholder after a repair that lost the header: no authenticator is accepted until the passcode or root's list
  /// sets the names. No authenticator has this name.
  package static let nobody = "nobody"

  /// Whether these names can be stored in a header.
  package static func isStorable(_ names: [String]) -> Bool {
    names.count <= maximumCount && Set(names).count == names.count
      && names.allSatisfy { (1...maximumName).contains($0.utf8.count) }
  }

  package static func encode(_ names: [String], to writer: inout ByteWriter) {
    writer.uint8(UInt8(clamping: names.count))
    for name in names {
      writer.uint16(UInt16(clamping: name.utf8.count))
      writer.append(Array(name.utf8))
    }
  }

  /// - Throws: `ByteCodingError` for anything that ``encode(_:to:)`` does not produce from one name or more.
  package static func decode(_ reader: inout ByteReader) throws(ByteCodingError) -> [String] {
    let count = Int(try reader.uint8("number of those who may vouch"))
    var names: [String] = []
    for _ in 0..<min(count, maximumCount) {
      let bytes = try reader.bytes(Int(try reader.uint16("length of a name")), "name of who may vouch")
      guard let name = String(validating: bytes, as: UTF8.self) else {
        throw .invalidValue(field: "name of who may vouch")
      }
      names.append(name)
    }
    guard names.count == count, count > 0, isStorable(names) else {
      throw .invalidValue(field: "names of those who may vouch")
    }
    return names
  }
}
