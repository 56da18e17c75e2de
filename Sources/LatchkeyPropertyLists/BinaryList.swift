import LatchkeyByteCoding

/// What the binary format's reader and writer both know of it.
///
/// A header, the objects, a table of their offsets, a trailer of 32 bytes. An object begins with a marker: its kind in the
/// upper half, its length in the lower (15: an integer object with the length follows).
enum BinaryList {
  /// What a binary list of any version begins with.
  static let family = Array("bplist".utf8)
  /// The header of the only version in use.
  static let header = Array("bplist00".utf8)
  static let trailerSize = 32

  /// The kinds: the marker's upper half.
  enum Kind: UInt8 {
    case singleton = 0x0
    case integer = 0x1
    case real = 0x2
    case date = 0x3
    case data = 0x4
    case ascii = 0x5
    case utf16 = 0x6
    case uid = 0x8
    case array = 0xA
    case orderedSet = 0xB
    case set = 0xC
    case dictionary = 0xD
  }

  static let falseMarker: UInt8 = 0x08
  static let trueMarker: UInt8 = 0x09
  /// The only date: eight bytes.
  static let dateMarker: UInt8 = 0x33
}

/// The last 32 bytes: where everything is.
struct BinaryListTrailer {
  /// How many bytes an offset has in the table, 1 to 8.
  let offsetSize: Int
  /// How many bytes a reference has in a container, 1 to 8.
  let referenceSize: Int
  let objectCount: Int
  /// The root's index.
  let top: Int
  /// Where the table begins, and the objects end.
  let tableOffset: Int

  /// Reads the trailer of `bytes` and holds it against their size: header, objects, table and trailer fill them exactly.
  init(of bytes: [UInt8], limits: PropertyListLimits) throws(PropertyListError) {
    let start = bytes.count - BinaryList.trailerSize
    guard start > BinaryList.header.count else { throw PropertyListError(.truncated, at: .byte(bytes.count)) }
    let bad = PropertyListError(.badTrailer, at: .byte(start))
    var reader = ByteReader(bytes, from: start)
    do throws(ByteCodingError) {
      try reader.skip(6, "unused")
      offsetSize = Int(try reader.uint8("offset size"))
      referenceSize = Int(try reader.uint8("reference size"))
      let count = try reader.uint64BigEndian("object count")
      let root = try reader.uint64BigEndian("root")
      let table = try reader.uint64BigEndian("table offset")
      // Each is below the size of the file, so that none of the sums below overflows.
      guard count <= UInt64(bytes.count), root < count, table < UInt64(start) else { throw .invalidValue(field: "") }
      (objectCount, top, tableOffset) = (Int(count), Int(root), Int(table))
    } catch {
      throw bad
    }
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), tableOffset > BinaryList.header.count,
      tableOffset + objectCount * offsetSize == start
    else { throw bad }
    guard objectCount <= limits.objects else {
      throw PropertyListError(.tooManyObjects(limit: limits.objects), at: .byte(start))
    }
  }
}
