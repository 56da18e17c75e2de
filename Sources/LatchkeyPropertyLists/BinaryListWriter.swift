import LatchkeyByteCoding

/// Writes `bplist00` in the order of Foundation and Python's plistlib: a container, then its keys, then its values, each
/// followed by its contents; equal scalars once.
struct BinaryListWriter {
  private let limits: PropertyListLimits
  private var objects: [Object] = []
  private var scalars: [Scalar: Int] = [:]
  /// The size of the output so far, without references and table.
  private var size = 0

  /// An object with the indices of its contents.
  private enum Object {
    case scalar(Scalar)
    case array([Int])
    case dictionary(keys: [Int], values: [Int])
  }

  /// Equal if stored identically. Texts compare as UTF-8: `String` treats a composed and a decomposed é as equal.
  private enum Scalar: Hashable {
    case text([UInt8])
    case data([UInt8])
    case integer(Int64)
    case unsigned(UInt64)
    case real(UInt64)
    case boolean(Bool)
    case date(UInt64)
    case uid(UInt32)
  }

  init(limits: PropertyListLimits) { self.limits = limits }

  mutating func write(_ list: PropertyList) throws(PropertyListError) -> [UInt8] {
    _ = try flatten(list, depth: 0)
    var writer = ByteWriter(capacity: size + objects.count * 8)
    writer.append(BinaryList.header)
    let referenceSize = Self.size(of: UInt64(objects.count))
    var offsets: [Int] = []
    offsets.reserveCapacity(objects.count)
    for object in objects {
      offsets.append(writer.count)
      switch object {
      case .scalar(let scalar): Self.append(scalar, to: &writer)
      case .array(let members):
        Self.append(.array, count: members.count, to: &writer)
        for member in members { Self.append(UInt64(member), size: referenceSize, to: &writer) }
      case .dictionary(let keys, let values):
        Self.append(.dictionary, count: keys.count, to: &writer)
        for member in keys { Self.append(UInt64(member), size: referenceSize, to: &writer) }
        for member in values { Self.append(UInt64(member), size: referenceSize, to: &writer) }
      }
    }
    let table = writer.count
    let offsetSize = Self.size(of: UInt64(table))
    for offset in offsets { Self.append(UInt64(offset), size: offsetSize, to: &writer) }
    writer.zeros(6)
    writer.uint8(UInt8(offsetSize))
    writer.uint8(UInt8(referenceSize))
    writer.uint64BigEndian(UInt64(objects.count))
    writer.uint64BigEndian(0)
    writer.uint64BigEndian(UInt64(table))
    guard writer.count <= limits.bytes else { throw PropertyListError(.tooLarge(limit: limits.bytes), at: .whole) }
    return writer.bytes
  }

  /// Assigns an index to `list` and to each value in it. Each kind has a separate function, so that each level uses little
  /// stack.
  private mutating func flatten(_ list: PropertyList, depth: Int) throws(PropertyListError) -> Int {
    switch list {
    case .array(let values): try flatten(array: values, depth: depth)
    case .dictionary(let entries): try flatten(dictionary: entries, depth: depth)
    default: try flatten(scalar: list)
    }
  }

  private mutating func flatten(array values: [PropertyList], depth: Int) throws(PropertyListError) -> Int {
    let index = try open(depth)
    var members: [Int] = []
    members.reserveCapacity(values.count)
    for value in values { members.append(try flatten(value, depth: depth + 1)) }
    objects[index] = .array(members)
    return index
  }

  private mutating func flatten(
    dictionary entries: [String: PropertyList], depth: Int
  ) throws(PropertyListError) -> Int {
    let index = try open(depth)
    let sorted = entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    var keys: [Int] = []
    var values: [Int] = []
    for entry in sorted { keys.append(try place(.text(Array(entry.key.utf8)), size: entry.key.utf8.count)) }
    for entry in sorted { values.append(try flatten(entry.value, depth: depth + 1)) }
    objects[index] = .dictionary(keys: keys, values: values)
    return index
  }

  private mutating func flatten(scalar list: PropertyList) throws(PropertyListError) -> Int {
    switch list {
    case .string(let text): return try place(.text(Array(text.utf8)), size: text.utf8.count)
    case .data(let bytes): return try place(.data(bytes), size: bytes.count)
    case .integer(let value): return try place(.integer(value))
    case .unsigned(let value):
      guard let small = Int64(exactly: value) else { return try place(.unsigned(value)) }
      return try place(.integer(small))
    case .real(let value): return try place(.real(value.bitPattern))
    case .boolean(let value): return try place(.boolean(value))
    case .date(let value): return try place(.date(value.bitPattern))
    case .uid(let value): return try place(.uid(value))
    case .array, .dictionary: return try flatten(list, depth: limits.depth)
    }
  }

  private mutating func open(_ depth: Int) throws(PropertyListError) -> Int {
    guard depth < limits.depth else { throw PropertyListError(.tooDeep(limit: limits.depth), at: .whole) }
    return try append(.array([]), size: 0)
  }

  private mutating func place(_ scalar: Scalar, size: Int = 0) throws(PropertyListError) -> Int {
    if let index = scalars[scalar] { return index }
    let index = try append(.scalar(scalar), size: size)
    scalars[scalar] = index
    return index
  }

  private mutating func append(_ object: Object, size more: Int) throws(PropertyListError) -> Int {
    guard objects.count < limits.objects else {
      throw PropertyListError(.tooManyObjects(limit: limits.objects), at: .whole)
    }
    size += more
    guard size <= limits.bytes else { throw PropertyListError(.tooLarge(limit: limits.bytes), at: .whole) }
    objects.append(object)
    return objects.count - 1
  }

  private static func append(_ scalar: Scalar, to writer: inout ByteWriter) {
    switch scalar {
    case .boolean(let value): writer.uint8(value ? BinaryList.trueMarker : BinaryList.falseMarker)
    case .integer(let value): append(integer: value, to: &writer)
    case .unsigned(let value):
      writer.uint8(BinaryList.Kind.integer.rawValue << 4 | 4)
      writer.uint64BigEndian(0)
      writer.uint64BigEndian(value)
    case .real(let bits):
      writer.uint8(BinaryList.Kind.real.rawValue << 4 | 3)
      writer.uint64BigEndian(bits)
    case .date(let bits):
      writer.uint8(BinaryList.dateMarker)
      writer.uint64BigEndian(bits)
    case .uid(let value):
      let size = size(of: UInt64(value))
      writer.uint8(BinaryList.Kind.uid.rawValue << 4 | UInt8(size - 1))
      append(UInt64(value), size: size, to: &writer)
    case .data(let bytes):
      append(.data, count: bytes.count, to: &writer)
      writer.append(bytes)
    case .text(let utf8):
      guard !utf8.allSatisfy({ $0 < 0x80 }) else {
        append(.ascii, count: utf8.count, to: &writer)
        writer.append(utf8)
        return
      }
      let units = Array(String(decoding: utf8, as: UTF8.self).utf16)
      append(.utf16, count: units.count, to: &writer)
      for unit in units { writer.uint16BigEndian(unit) }
    }
  }

  /// Writes a marker with its count.
  private static func append(_ kind: BinaryList.Kind, count: Int, to writer: inout ByteWriter) {
    writer.uint8(kind.rawValue << 4 | UInt8(min(count, 0x0F)))
    if count >= 0x0F { append(integer: Int64(count), to: &writer) }
  }

  private static func append(integer value: Int64, to writer: inout ByteWriter) {
    // Fewer than eight bytes are unsigned.
    let size = value < 0 ? 8 : size(of: UInt64(value))
    writer.uint8(BinaryList.Kind.integer.rawValue << 4 | UInt8(size.trailingZeroBitCount))
    append(UInt64(bitPattern: value), size: size, to: &writer)
  }

  /// The smallest of 1, 2, 4 and 8 bytes that holds `value`.
  private static func size(of value: UInt64) -> Int {
    switch value {
    case ...0xFF: 1
    case ...0xFFFF: 2
    case ...0xFFFF_FFFF: 4
    default: 8
    }
  }

  private static func append(_ value: UInt64, size: Int, to writer: inout ByteWriter) {
    for index in (0..<size).reversed() { writer.uint8(UInt8(truncatingIfNeeded: value >> UInt64(index * 8))) }
  }
}
