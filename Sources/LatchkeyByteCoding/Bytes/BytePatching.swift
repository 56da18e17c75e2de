extension [UInt8] {
  /// Overwrites the byte at `offset`; outside the array nothing changes.
  ///
  /// For headers that a lower layer fills in after the bytes behind them were written: in place, without a copy.
  @inlinable
  package mutating func patchUInt8(_ value: UInt8, at offset: Int) {
    guard offset >= 0, offset < count else { return }
    self[offset] = value
  }

  /// Overwrites the two bytes at `offset`, least significant first; if they are not both inside, nothing changes.
  @inlinable
  package mutating func patchUInt16(_ value: UInt16, at offset: Int) {
    guard offset >= 0, offset < count - 1 else { return }
    self[offset] = UInt8(truncatingIfNeeded: value)
    self[offset + 1] = UInt8(truncatingIfNeeded: value >> 8)
  }

  /// Overwrites the eight bytes at `offset`, least significant first; if they are not all inside, nothing changes.
  @inlinable
  package mutating func patchUInt64(_ value: UInt64, at offset: Int) {
    guard offset >= 0, offset < count - 7 else { return }
    var bytes = mutableSpan
    for index in 0..<8 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt64(index * 8)) }
  }
}

extension ByteWriter {
  /// What `reader` has left, without an array between.
  @inlinable
  package mutating func append(_ reader: ByteReader) {
    storage.append(contentsOf: reader.storage[reader.position..<reader.end])
  }
}
