/// Builds bytes to send, in the order of the fields.
///
/// A length that is known only after its content is written as a placeholder and patched: `reserve(_:)`, then
/// `patchUInt16(_:at:)`.
@frozen
public struct ByteWriter: Sendable {
  @usableFromInline var storage: [UInt8]

  /// What was written so far.
  @inlinable public var bytes: [UInt8] { storage }

  /// An empty writer with room for `capacity` bytes.
  @inlinable
  public init(capacity: Int = 32) {
    self.init(reserving: capacity, headroom: 0)
  }

  /// A writer whose first `headroom` bytes are zero and belong to a lower layer's header.
  @inlinable
  public init(headroom: Int, capacity: Int) {
    self.init(reserving: headroom + capacity, headroom: headroom)
  }

  @inlinable
  init(reserving capacity: Int, headroom: Int) {
    storage = []
    storage.reserveCapacity(capacity)
    for _ in 0..<max(0, headroom) { storage.append(0) }
  }

  /// How many bytes were written.
  @inlinable public var count: Int { storage.count }

  /// One byte.
  @inlinable @inline(__always)
  public mutating func uint8(_ value: UInt8) { storage.append(value) }

  /// One byte, two's complement.
  @inlinable
  public mutating func int8(_ value: Int8) { storage.append(UInt8(bitPattern: value)) }

  /// Two bytes, least significant first.
  @inlinable @inline(__always)
  public mutating func uint16(_ value: UInt16) {
    storage.append(UInt8(truncatingIfNeeded: value))
    storage.append(UInt8(truncatingIfNeeded: value >> 8))
  }

  /// Three bytes, least significant first; the top byte of `value` is not written.
  @inlinable
  public mutating func uint24(_ value: UInt32) {
    uint16(UInt16(truncatingIfNeeded: value))
    uint8(UInt8(truncatingIfNeeded: value >> 16))
  }

  /// Four bytes, least significant first.
  @inlinable
  public mutating func uint32(_ value: UInt32) {
    withUnsafeBytes(of: value.littleEndian) { storage.append(contentsOf: $0) }
  }

  /// Eight bytes, least significant first.
  @inlinable
  public mutating func uint64(_ value: UInt64) {
    withUnsafeBytes(of: value.littleEndian) { storage.append(contentsOf: $0) }
  }

  /// Two bytes, most significant first.
  @inlinable
  public mutating func uint16BigEndian(_ value: UInt16) { uint16(value.byteSwapped) }

  /// Four bytes, most significant first.
  @inlinable
  public mutating func uint32BigEndian(_ value: UInt32) { uint32(value.byteSwapped) }

  /// Eight bytes, most significant first.
  @inlinable
  public mutating func uint64BigEndian(_ value: UInt64) { uint64(value.byteSwapped) }

  /// The bytes of `more`, as they are.
  @inlinable
  public mutating func append(_ more: some Collection<UInt8>) { storage.append(contentsOf: more) }

  /// The bytes of `more`, as they are.
  @inlinable
  public mutating func append(_ more: [UInt8]) { storage.append(contentsOf: more) }

  /// `count` zero storage.
  @inlinable
  public mutating func zeros(_ count: Int) { storage.append(contentsOf: [UInt8](repeating: 0, count: count)) }

  /// Leaves `count` bytes free, to be patched later, and returns where they stand.
  @inlinable
  public mutating func reserve(_ count: Int) -> Int {
    defer { zeros(count) }
    return storage.count
  }

  /// Overwrites the byte at `offset`, which must have been written before; otherwise nothing changes.
  @inlinable
  public mutating func patchUInt8(_ value: UInt8, at offset: Int) {
    guard storage.indices.contains(offset) else { return }
    storage[offset] = value
  }

  /// Overwrites the two bytes at `offset`, least significant first.
  @inlinable
  public mutating func patchUInt16(_ value: UInt16, at offset: Int) {
    patchUInt8(UInt8(truncatingIfNeeded: value), at: offset)
    patchUInt8(UInt8(truncatingIfNeeded: value >> 8), at: offset + 1)
  }
}
