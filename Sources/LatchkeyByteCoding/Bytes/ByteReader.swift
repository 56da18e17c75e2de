/// A cursor over bytes from outside: ask for n bytes, get n bytes or a named error.
///
/// Nested lengths become sub-readers (`subReader(_:_:)`), so that an inner structure cannot read past its own end, and
/// `finish(_:)` rejects what is left over. A reader shares its storage with the array it was made from: making one, or a
/// sub-reader, copies no bytes.
@frozen
public struct ByteReader: Sendable {
  @usableFromInline let storage: [UInt8]
  @usableFromInline var position: Int
  @usableFromInline let end: Int

  /// A reader over all of `bytes`.
  @inlinable
  public init(_ bytes: [UInt8]) {
    storage = bytes
    position = 0
    end = bytes.count
  }

  /// A reader over `bytes` from `offset` to the end; an offset past the end yields an empty reader.
  @inlinable
  public init(_ bytes: [UInt8], from offset: Int) {
    storage = bytes
    position = max(0, min(offset, bytes.count))
    end = bytes.count
  }

  @inlinable
  init(storage: [UInt8], position: Int, end: Int) {
    self.storage = storage
    self.position = position
    self.end = end
  }

  /// How many bytes are left.
  @inlinable public var remaining: Int { end - position }

  /// Whether nothing is left.
  @inlinable public var isEmpty: Bool { position == end }

  @inlinable
  mutating func advance(_ count: Int, _ field: StaticString) throws(ByteCodingError) -> Int {
    guard count >= 0, count <= end - position else {
      throw .truncated(field: field, needed: count, available: end - position)
    }
    let start = position
    position += count
    return start
  }

  /// The next byte, without taking it; nil at the end.
  @inlinable
  public func peek() -> UInt8? { position < end ? storage[position] : nil }

  /// One byte.
  @inlinable
  public mutating func uint8(_ field: StaticString) throws(ByteCodingError) -> UInt8 {
    storage[try advance(1, field)]
  }

  /// One byte, two's complement.
  @inlinable
  public mutating func int8(_ field: StaticString) throws(ByteCodingError) -> Int8 {
    Int8(bitPattern: try uint8(field))
  }

  /// Two bytes, least significant first (Bluetooth's order).
  @inlinable
  public mutating func uint16(_ field: StaticString) throws(ByteCodingError) -> UInt16 {
    let at = try advance(2, field)
    return UInt16(storage[at]) | UInt16(storage[at + 1]) << 8
  }

  /// Three bytes, least significant first.
  @inlinable
  public mutating func uint24(_ field: StaticString) throws(ByteCodingError) -> UInt32 {
    let at = try advance(3, field)
    return UInt32(storage[at]) | UInt32(storage[at + 1]) << 8 | UInt32(storage[at + 2]) << 16
  }

  /// Four bytes, least significant first.
  @inlinable
  public mutating func uint32(_ field: StaticString) throws(ByteCodingError) -> UInt32 {
    let low = try uint16(field)
    return UInt32(low) | UInt32(try uint16(field)) << 16
  }

  /// Eight bytes, least significant first.
  @inlinable
  public mutating func uint64(_ field: StaticString) throws(ByteCodingError) -> UInt64 {
    let low = try uint32(field)
    return UInt64(low) | UInt64(try uint32(field)) << 32
  }

  /// Two bytes, most significant first (network order).
  @inlinable
  public mutating func uint16BigEndian(_ field: StaticString) throws(ByteCodingError) -> UInt16 {
    try uint16(field).byteSwapped
  }

  /// Four bytes, most significant first.
  @inlinable
  public mutating func uint32BigEndian(_ field: StaticString) throws(ByteCodingError) -> UInt32 {
    try uint32(field).byteSwapped
  }

  /// Eight bytes, most significant first.
  @inlinable
  public mutating func uint64BigEndian(_ field: StaticString) throws(ByteCodingError) -> UInt64 {
    try uint64(field).byteSwapped
  }

  /// The next `count` bytes, copied.
  @inlinable
  public mutating func bytes(_ count: Int, _ field: StaticString) throws(ByteCodingError) -> [UInt8] {
    let at = try advance(count, field)
    return Array(storage[at..<at + count])
  }

  /// All that is left, copied; may be empty.
  @inlinable
  public mutating func remainingBytes() -> [UInt8] {
    defer { position = end }
    return Array(storage[position..<end])
  }

  /// Skips `count` bytes.
  @inlinable
  public mutating func skip(_ count: Int, _ field: StaticString) throws(ByteCodingError) {
    _ = try advance(count, field)
  }

  /// A reader over the next `count` bytes alone; this one continues after them.
  @inlinable
  public mutating func subReader(_ count: Int, _ field: StaticString) throws(ByteCodingError) -> ByteReader {
    let at = try advance(count, field)
    return ByteReader(storage: storage, position: at, end: at + count)
  }

  /// Ends the reading of `structure`: an error if anything is left.
  @inlinable
  public func finish(_ structure: StaticString) throws(ByteCodingError) {
    guard position == end else { throw .trailingBytes(structure: structure, count: end - position) }
  }
}
