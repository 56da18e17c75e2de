package import LatchkeyByteCoding

/// Why bytes are no message of the protocol. The words carry nothing of the bytes.
package enum ProtobufError: Error, Hashable, Sendable {
  /// The bytes end within a field.
  case truncated
  /// A variable-length integer has more than ten bytes, or more than 64 bits.
  case longInteger
  /// A field has the number 0, or one above 2^29 - 1.
  case fieldNumber
  /// A field is a group, which proto3 does not have, or of a type that there is not.
  case wireType
  /// A known field has another type than its message gives it, or stands there twice.
  case field(Int)
  /// The message's kind is unknown, or its content belongs to another kind.
  case kind
  /// A value has a length that its field does not allow.
  case length(Int)
}

/// Reads the fields of one message (protobuf.dev/programming-guides/encoding).
///
/// By hand: the protocol has five small messages of known depth, each at most 512 bytes, and no package of this one's
/// dependencies brings an encoder. A nested message is read where its field is known, so bytes never decide how deep a reader
/// goes; unknown fields are passed over unread.
package struct ProtobufReader: Sendable {
  /// The value of a field.
  package enum Value: Sendable {
    case integer(UInt64)
    case bytes(ByteReader)
  }

  private var reader: ByteReader
  /// The fields below 64 that have been read.
  private var seen: UInt64 = 0

  package init(_ bytes: [UInt8]) { reader = ByteReader(bytes) }
  package init(_ reader: ByteReader) { self.reader = reader }

  /// The next field of `known`, each of which may come once; nil at the end.
  ///
  /// Repeated fields are in `repeated`. A scalar twice would be read by some as the first and by others as the last one.
  package mutating func next(
    known: Set<Int>, repeated: Set<Int> = []
  ) throws(ProtobufError) -> (number: Int, value: Value)? {
    while !reader.isEmpty {
      let (number, value) = try field()
      let isRepeated = repeated.contains(number)
      guard isRepeated || known.contains(number) else { continue }
      guard let value else { throw .field(number) }
      if isRepeated { return (number, value) }
      guard number < 64, seen & 1 << UInt64(number) == 0 else { throw .field(number) }
      seen |= 1 << UInt64(number)
      return (number, value)
    }
    return nil
  }

  /// A field; its value is nil if it is a fixed number, which no message of the protocol has.
  private mutating func field() throws(ProtobufError) -> (Int, Value?) {
    let tag = try integer()
    guard (1..<1 << 29).contains(tag >> 3) else { throw .fieldNumber }
    let number = Int(tag >> 3)
    switch tag & 7 {
    case 0: return (number, .integer(try integer()))
    case 1: _ = try take(8)
    case 2: return (number, .bytes(try take(integer())))
    case 5: _ = try take(4)
    default: throw .wireType
    }
    return (number, nil)
  }

  private mutating func take(_ count: UInt64) throws(ProtobufError) -> ByteReader {
    guard count <= reader.remaining, let part = try? reader.subReader(Int(count), "field") else { throw .truncated }
    return part
  }

  private mutating func integer() throws(ProtobufError) -> UInt64 {
    var value: UInt64 = 0
    for index in 0..<10 {
      guard let byte = try? reader.uint8("integer") else { throw .truncated }
      // The tenth byte has one bit left.
      guard index < 9 || byte <= 1 else { throw .longInteger }
      value |= UInt64(byte & 0x7F) << UInt64(7 * index)
      if byte < 0x80 { return value }
    }
    throw .longInteger
  }
}

extension ProtobufReader.Value {
  /// The integer; an error that names the field for bytes.
  func integer(_ field: Int) throws(ProtobufError) -> UInt64 {
    guard case .integer(let value) = self else { throw .field(field) }
    return value
  }

  /// An `int32`, which travels with the 64 bits of its sign.
  func int32(_ field: Int) throws(ProtobufError) -> Int32 { Int32(truncatingIfNeeded: try integer(field)) }

  /// A `uint32`: the upper bits are dropped, as every reader drops them.
  func uint32(_ field: Int) throws(ProtobufError) -> UInt32 { UInt32(truncatingIfNeeded: try integer(field)) }

  /// A message within.
  func message(_ field: Int) throws(ProtobufError) -> ByteReader {
    guard case .bytes(let reader) = self else { throw .field(field) }
    return reader
  }

  /// Bytes, copied, at most `limit`.
  func bytes(_ field: Int, limit: Int = 512) throws(ProtobufError) -> [UInt8] {
    var reader = try message(field)
    guard reader.remaining <= limit else { throw .length(field) }
    return reader.remainingBytes()
  }
}
