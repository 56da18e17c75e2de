internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// One page of a list.
public struct RecordPage<Record: Sendable>: Sendable {
  /// The records.
  public let records: [Record]
  /// What the next page is asked for with; nil after the last page. A page may have fewer records than its limit, or none, and still
  /// not be the last.
  public let next: String?
}

/// Where a page ends, as text: the key, in base64url, of the last record that was read for it. It grants nothing: an altered one is another place in the list, or is
/// refused.
enum PageCursor {
  /// The limit of records a page, and what it is without a wish.
  static let limits = 1...1000
  static let standard = 100
  private static let longest = 1024

  static func text(_ key: [UInt8]) -> String { Base64URL.encode(key) }

  /// The key of a cursor.
  ///
  /// - Parameter count: how many bytes it has; nil for any number.
  /// - Throws: `.invalid`.
  static func key(_ text: String, count: Int? = nil) throws(OperatorError) -> [UInt8] {
    guard text.utf8.count <= longest, let key = Base64URL.decode(text), !key.isEmpty,
      count == nil || key.count == count
    else { throw refusal }
    return key
  }

  /// The key of a record in a list by time: eight bytes of the time, and the identifier.
  static func key(of place: CreationPlace) -> [UInt8] {
    let time = UInt64(bitPattern: place.created)
    return (0..<8).map { UInt8(truncatingIfNeeded: time >> (56 - 8 * $0)) } + place.id.bytes
  }

  /// The place of such a key's cursor.
  ///
  /// - Throws: `.invalid`.
  static func place(_ text: String) throws(OperatorError) -> CreationPlace {
    let key = try key(text, count: 24)
    guard let id = Identifier(bytes: Array(key.dropFirst(8))) else { throw refusal }
    let time = key.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return CreationPlace(created: Int64(bitPattern: time), id: id)
  }

  static let refusal = OperatorError.invalid("the cursor is not one of this list: begin again without")

  /// - Throws: `.invalid`.
  static func check(limit: Int) throws(OperatorError) {
    guard limits.contains(limit) else {
      throw .invalid("a page has \(limits.lowerBound) to \(limits.upperBound) records")
    }
  }

  static func bytes(hexadecimal text: String, count: Int) -> [UInt8]? {
    guard text.utf8.count == 2 * count, let bytes = try? Hexadecimal.decode(text) else { return nil }
    return bytes
  }
}

extension RecordPage {
  /// A list that is always read whole.
  public init(all records: [Record]) { self.init(records: records, next: nil) }
}
