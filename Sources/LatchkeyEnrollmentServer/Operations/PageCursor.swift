internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentStore

/// One page of a list.
public struct RecordPage<Record: Sendable>: Sendable {
  /// The records.
  public let records: [Record]
  /// What the next page is asked for with; nil after the last page. A page may have fewer records than its limit, or none, and still
  /// not be the last.
  public let next: String?
}

/// Where a page ends, as text: the last record's key in base64url. It grants nothing: an altered one is another place in the list, or is
/// refused.
enum PageCursor {
  /// The limit of records a page, and what it is without a wish.
  static let limits = 1...1000
  static let standard = 100
  private static let longest = 1024

  static func text(_ key: [UInt8]) -> String { Base64.encode(key, as: .urlUnpadded) }

  /// The key of a cursor.
  ///
  /// - Parameter count: how many bytes it has; nil for any number.
  /// - Throws: `.invalid`.
  static func key(_ text: String, count: Int? = nil) throws(OperatorError) -> [UInt8] {
    guard text.utf8.count <= longest, let key = try? Base64.decode(text, as: .urlUnpadded), !key.isEmpty,
      count == nil || key.count == count
    else { throw refusal }
    return key
  }

  static let refusal = OperatorError.invalid("the cursor is not one of this list: begin again without")

  /// - Throws: `.invalid`.
  static func check(limit: Int) throws(OperatorError) {
    guard limits.contains(limit) else {
      throw .invalid("a page has \(limits.lowerBound) to \(limits.upperBound) records")
    }
  }

  /// The same, and the limit.
  static func checked(_ limit: Int) throws(OperatorError) -> Int {
    try check(limit: limit)
    return limit
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
