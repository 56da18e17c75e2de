import LatchkeyByteCoding

/// Constants that the binary format's reader and writer share.
///
/// The format: a header, the objects, a table of their offsets, a trailer of 32 bytes. An object begins with a marker: its kind
/// in the upper half, its length in the lower (15: an integer object with the length follows).
enum BinaryList {
  /// The first bytes of a binary list of any version.
  static let family = Array("bplist".utf8)
  /// The header of the only version in use.
  static let header = Array("bplist00".utf8)
  static let trailerSize = 32

  /// The kinds of objects: the marker's upper half.
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
  /// The only marker of a date, which has eight bytes.
  static let dateMarker: UInt8 = 0x33
}

/// The last 32 bytes, which locate everything else.
struct BinaryListTrailer {
  /// The size of an offset in the table, 1 to 8 bytes.
  let offsetSize: Int
  /// The size of a reference in a container, 1 to 8 bytes.
  let referenceSize: Int
  let objectCount: Int
  /// The root's index.
  let top: Int
  /// The offset of the table, which is the end of the objects.
  let tableOffset: Int

  /// Parses the trailer of `bytes` and validates it against their size: header, objects, table and trailer fill them exactly.
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
      // Each is below the size of the file, so that the sums below cannot overflow.
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
