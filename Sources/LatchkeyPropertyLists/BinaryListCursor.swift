import LatchkeyByteCoding

/// A reader inside one object of a binary list; its errors name the object.
struct BinaryListCursor {
  private var reader: ByteReader
  let place: PropertyListError.Place

  /// Creates a cursor from `start` to `end`, both inside `bytes`.
  init(_ bytes: [UInt8], from start: Int, end: Int, place: PropertyListError.Place) {
    var whole = ByteReader(bytes, from: start)
    reader = (try? whole.subReader(end - start, "object")) ?? ByteReader([])
    self.place = place
  }

  mutating func byte() throws(PropertyListError) -> UInt8 { UInt8(try number(size: 1)) }

  /// Reads a number of `size` bytes, at most 8, most significant first.
  mutating func number(size: Int) throws(PropertyListError) -> UInt64 {
    var value: UInt64 = 0
    do throws(ByteCodingError) {
      for _ in 0..<size { value = value << 8 | UInt64(try reader.uint8("number")) }
    } catch {
      throw PropertyListError(.truncated, at: place)
    }
    return value
  }

  mutating func bytes(_ count: Int) throws(PropertyListError) -> [UInt8] {
    do throws(ByteCodingError) {
      return try reader.bytes(count, "content")
    } catch {
      throw PropertyListError(.truncated, at: place)
    }
  }

  /// Reads an integer: 1, 2 and 4 bytes are unsigned, 8 and 16 are two's complement.
  mutating func wholeNumber(size: Int) throws(PropertyListError) -> PropertyList {
    guard size == 16 else {
      let value = try number(size: size)
      return .integer(size == 8 ? Int64(bitPattern: value) : Int64(value))
    }
    let high = try number(size: 8)
    let low = try number(size: 8)
    switch (high, Int64(bitPattern: low)) {
    case (0, 0...): return .integer(Int64(low))
    case (0, _): return .unsigned(low)
    case (.max, let negative) where negative < 0: return .integer(negative)
    default: throw PropertyListError(.numberOutOfRange, at: place)
    }
  }

  /// Returns the count of a marker's lower half: itself, or for 15 the integer object that follows.
  mutating func count(_ lowerHalf: Int) throws(PropertyListError) -> Int {
    guard lowerHalf == 0x0F else { return lowerHalf }
    let marker = try byte()
    guard marker >> 4 == BinaryList.Kind.integer.rawValue, marker & 0x0F <= 4 else {
      throw PropertyListError(.unknownMarker(marker), at: place)
    }
    guard case .integer(let value) = try wholeNumber(size: 1 << Int(marker & 0x0F)), value >= 0 else {
      throw PropertyListError(.numberOutOfRange, at: place)
    }
    return Int(value)
  }
}
