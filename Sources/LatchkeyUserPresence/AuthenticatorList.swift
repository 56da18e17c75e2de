package import LatchkeyByteCoding

/// The names of those who may vouch for a user's presence, as a header keeps them: `UInt8` count, then of each `UInt16`
/// length and its bytes in UTF-8, none twice. Least significant byte first.
package enum AuthenticatorList {
  /// More than anybody has.
  package static let maximumCount = 16
  /// The longest name, in bytes.
  package static let maximumName = 512

  /// What a header keeps in their place after a repair without the header of before: nobody may vouch until the passcode or
  /// root's list says who. No authenticator has this name.
  package static let nobody = "nobody"

  /// Whether a header can keep these.
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

  /// - Throws: `ByteCodingError` for anything that ``encode(_:to:)`` does not make of one name or more.
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
