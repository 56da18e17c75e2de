#if PostgreSQL
  internal import CLatchkeyPostgreSQL
  internal import LatchkeyByteCoding
  internal import LatchkeyEnrollmentStore

  /// Values on their way in and out, all in PostgreSQL's binary format: bytes keep their size, texts are not cut at U+0000,
  /// and nothing depends on settings of the session.
  enum PostgresType {
    // pg_type.dat; CockroachDB and YugabyteDB use the same numbers.
    static let bool: UInt32 = 16
    static let bytea: UInt32 = 17
    static let name: UInt32 = 19
    static let int8: UInt32 = 20
    static let int2: UInt32 = 21
    static let int4: UInt32 = 23
    static let text: UInt32 = 25
    static let bpchar: UInt32 = 1042
    static let varchar: UInt32 = 1043
    static let numeric: UInt32 = 1700
    static let void: UInt32 = 2278

    /// The type that a parameter has in its statement: for NULL, what the server finds.
    static func of(_ value: SQLValue) -> UInt32 {
      switch value {
      case .null: 0
      case .integer: int8
      case .text: text
      case .bytes: bytea
      }
    }
  }

  /// A statement's parameters, in the form that libpq takes.
  struct PostgresParameters {
    private var storage: [UInt8] = []
    /// Where each begins; nil for NULL.
    private var offsets: [Int?] = []
    private var lengths: [Int32] = []

    init(_ values: [SQLValue]) {
      for value in values {
        let start = storage.count
        switch value {
        case .null: break
        case .integer(let number): withUnsafeBytes(of: number.bigEndian) { storage.append(contentsOf: $0) }
        case .text(let text): storage.append(contentsOf: text.utf8)
        case .bytes(let bytes): storage.append(contentsOf: bytes)
        }
        offsets.append(value == .null ? nil : start)
        lengths.append(Int32(clamping: storage.count - start))
      }
      // An empty value is not NULL: its pointer needs a place to point to.
      storage.append(0)
    }

    /// Runs `body` with pointers to the values, their lengths, and their formats (binary).
    func with<Result>(
      _ body: (
        _ values: UnsafePointer<UnsafePointer<CChar>?>?, _ lengths: UnsafePointer<Int32>?,
        _ formats: UnsafePointer<Int32>?
      ) -> Result
    ) -> Result {
      storage.withUnsafeBytes { bytes in
        let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        let values = offsets.map { offset in offset.flatMap { start?.advanced(by: $0) } }
        let formats = [Int32](repeating: 1, count: values.count)
        return values.withUnsafeBufferPointer { values in
          lengths.withUnsafeBufferPointer { lengths in
            formats.withUnsafeBufferPointer { formats in
              body(values.baseAddress, lengths.baseAddress, formats.baseAddress)
            }
          }
        }
      }
    }
  }

  extension SQLValue {
    /// A value of a result, by the type of its column.
    init(_ bytes: UnsafeRawBufferPointer, type: UInt32) throws(PostgresError) {
      func integer<Number: FixedWidthInteger>(_: Number.Type) throws(PostgresError) -> Number {
        guard bytes.count == MemoryLayout<Number>.size else { throw .unreadable(type: type) }
        return Number(bigEndian: bytes.loadUnaligned(as: Number.self))
      }
      switch type {
      case PostgresType.int8: self = .integer(try integer(Int64.self))
      case PostgresType.int4: self = .integer(Int64(try integer(Int32.self)))
      case PostgresType.int2: self = .integer(Int64(try integer(Int16.self)))
      case PostgresType.bool: self = .integer(try integer(UInt8.self) == 0 ? 0 : 1)
      case PostgresType.text, PostgresType.varchar, PostgresType.bpchar, PostgresType.name:
        self = .text(String(decoding: bytes, as: UTF8.self))
      case PostgresType.bytea: self = .bytes(Array(bytes))
      case PostgresType.numeric:
        guard let number = Int64(numeric: Array(bytes)) else { throw .unreadable(type: type) }
        self = .integer(number)
      case PostgresType.void: self = .null
      default: throw .unreadable(type: type)
      }
    }
  }

  extension Int64 {
    /// A whole number from `numeric`'s binary form (numeric_send): counts of digits to the base of 10 000, the weight of the
    /// first, the sign, the decimal digits to show, and the digits. A sum of BIGINT has this type.
    init?(numeric bytes: [UInt8]) {
      func word(_ index: Int) -> UInt16? {
        let place = index * 2
        guard place + 1 < bytes.count else { return nil }
        return UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1])
      }
      guard let count = word(0), let weight = word(1).map(Int16.init(bitPattern:)), let sign = word(2),
        sign == 0x0000 || sign == 0x4000, bytes.count == 8 + 2 * Int(count)
      else { return nil }
      // Digits right of the point must be none, or zero; those that trail on the left are left out.
      guard weight < 6 else { return nil }
      var value: Int64 = 0
      for place in 0...Swift.max(0, Int(weight)) where weight >= 0 {
        let digit = place < Int(count) ? word(4 + place).map(Int64.init) : 0
        guard let digit, digit < 10_000 else { return nil }
        let (shifted, overflow) = value.multipliedReportingOverflow(by: 10_000)
        // Downwards, because there is one more number below zero than above.
        let (next, further) = shifted.subtractingReportingOverflow(digit)
        guard !overflow, !further else { return nil }
        value = next
      }
      let fraction = Swift.max(0, Int(weight) + 1)
      if fraction < Int(count) {
        for place in fraction..<Int(count) where word(4 + place) != 0 { return nil }
      }
      if sign == 0 {
        guard value != .min else { return nil }
        value = -value
      }
      self = value
    }
  }
#endif
