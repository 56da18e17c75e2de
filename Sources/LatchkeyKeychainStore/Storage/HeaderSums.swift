import LatchkeyByteCoding

/// The header's sums in a file of format 3 and later, by parts, so that one part of the file is verified without the rest: rows
/// by ranges of their numbers, entries of two indexes by the first bits of the searched value.
///
/// Each sum is the sum modulo 2^128 of secret keyed marks (``SearchMarks``). Adding or removing a row updates it in one step.
/// Without the marks and the sums, an attacker cannot remove, restore or add an entry undetected.
///
/// `UInt8` shift; `UInt8` chunks, each `UInt64` number and 16 bytes sum, in ascending order; then for the primary keys, and for
/// the tags, `UInt64` of bits, one for each non-empty bucket, and the 16-byte sum of each of those. Least significant byte
/// first.
struct HeaderSums: Hashable, Sendable {
  /// An index whose entries are summed.
  enum Index: Int, CaseIterable, Sendable { case primaryKeys, tags }

  /// The number of buckets in an index.
  static let buckets = 64
  /// The limit of row chunks. With it the header fits into one page of the database.
  static let maximumChunks = 64
  /// The initial shift. A row's chunk is its number without this many low bits; the shift grows with the keychain.
  static let firstShift: UInt8 = 9
  private static let lastShift: UInt8 = 62

  private(set) var shift = firstShift
  private(set) var chunks: [Int64: UInt128] = [:]
  private var indexes = [UInt128](repeating: 0, count: 2 * buckets)

  // MARK: Rows

  /// The chunk of a row number.
  func chunk(of id: Int64) -> Int64 { id >> Int64(shift) }

  /// The row numbers in a chunk.
  func rows(in chunk: Int64) -> ClosedRange<Int64> {
    let first = chunk << Int64(shift)
    return first...(first | (1 << Int64(shift) - 1))
  }

  mutating func addRow(_ id: Int64, _ share: UInt128) { change(chunk(of: id)) { $0 &+ share } }
  mutating func subtractRow(_ id: Int64, _ share: UInt128) { change(chunk(of: id)) { $0 &- share } }

  private mutating func change(_ chunk: Int64, _ body: (UInt128) -> UInt128) {
    let sum = body(chunks[chunk] ?? 0)
    chunks[chunk] = sum == 0 ? nil : sum
    while chunks.count > Self.maximumChunks, shift < Self.lastShift { merge() }
  }

  /// Doubles the chunk size: the sums of adjacent chunks are added.
  private mutating func merge() {
    shift += 1
    var merged: [Int64: UInt128] = [:]
    for (chunk, sum) in chunks { merged[chunk >> 1, default: 0] &+= sum }
    chunks = merged.filter { $0.value != 0 }
  }

  // MARK: Indexes

  /// The bucket of a searched value.
  static func bucket(of value: [UInt8]) -> Int { Int(value.first ?? 0) >> 2 }

  /// The range of values in a bucket: the lower bound, and the exclusive upper bound, which is nil for the last bucket.
  static func bounds(of bucket: Int) -> (lower: [UInt8], upper: [UInt8]?) {
    (
      [UInt8(truncatingIfNeeded: bucket << 2)],
      bucket == buckets - 1 ? nil : [UInt8(truncatingIfNeeded: (bucket + 1) << 2)]
    )
  }

  subscript(index: Index, bucket: Int) -> UInt128 {
    get { indexes[index.rawValue * Self.buckets + bucket] }
    set { indexes[index.rawValue * Self.buckets + bucket] = newValue }
  }

  // MARK: Encoding

  func encode(to writer: inout ByteWriter) {
    writer.uint8(shift)
    writer.uint8(UInt8(truncatingIfNeeded: chunks.count))
    for chunk in chunks.keys.sorted() {
      writer.uint64(UInt64(bitPattern: chunk))
      Self.append(chunks[chunk] ?? 0, to: &writer)
    }
    for index in Index.allCases {
      var bits: UInt64 = 0
      for bucket in 0..<Self.buckets where self[index, bucket] != 0 { bits |= 1 << UInt64(bucket) }
      writer.uint64(bits)
      for bucket in 0..<Self.buckets where self[index, bucket] != 0 { Self.append(self[index, bucket], to: &writer) }
    }
  }

  /// - Throws: `ByteCodingError` for anything that ``encode(to:)`` does not produce.
  init(_ reader: inout ByteReader) throws(ByteCodingError) {
    shift = try reader.uint8("shift of a header's chunks")
    guard shift >= Self.firstShift, shift <= Self.lastShift else {
      throw .invalidValue(field: "shift of a header's chunks")
    }
    let count = Int(try reader.uint8("count of a header's chunks"))
    guard count <= Self.maximumChunks else { throw .invalidValue(field: "count of a header's chunks") }
    var last: Int64?
    for _ in 0..<count {
      let chunk = Int64(bitPattern: try reader.uint64("number of a chunk"))
      if let last, chunk <= last { throw .invalidValue(field: "order of a header's chunks") }
      last = chunk
      chunks[chunk] = try Self.sum(&reader)
    }
    for index in Index.allCases {
      let bits = try reader.uint64("buckets of a header")
      for bucket in 0..<Self.buckets where bits & 1 << UInt64(bucket) != 0 {
        self[index, bucket] = try Self.sum(&reader)
      }
    }
  }

  init() {}

  private static func append(_ sum: UInt128, to writer: inout ByteWriter) {
    withUnsafeBytes(of: sum.littleEndian) { writer.append($0) }
  }

  private static func sum(_ reader: inout ByteReader) throws(ByteCodingError) -> UInt128 {
    let low = try reader.uint64("sum of a header")
    let sum = UInt128(try reader.uint64("sum of a header")) << 64 | UInt128(low)
    guard sum != 0 else { throw .invalidValue(field: "sum of a header") }
    return sum
  }
}
