/// What one call of a list has found. A call reads a bounded number of rows in the order of a key, so it may have found fewer records
/// than were asked for, or none, and the list still goes on.
public struct ListPart<Record: Sendable>: Sendable {
  /// What was found.
  public var records: [Record]
  /// The last record that was read, found or not: the list goes on after it. Nil at the end of the list.
  public var end: Record?

  /// A part of a list.
  public init(records: [Record], end: Record?) { (self.records, self.end) = (records, end) }

  /// The most records of one call, and the most that it reads, but for one.
  package static var most: Int { 1000 }

  /// The rows that a call for `limit` records reads: for a list of all records one more than that, which says whether it goes on;
  /// in a search as many as a call may.
  static func rows(for limit: Int, isSearch: Bool) -> Int64 { Int64(isSearch ? most : min(max(0, limit), most)) + 1 }

  /// The part that was found among rows that were read.
  ///
  /// - Parameter rows: how many the statement could give.
  init(_ read: [Record], of rows: Int64, limit: Int, where isIncluded: (Record) -> Bool = { _ in true }) {
    (records, end) = ([], nil)
    for (place, record) in read.enumerated() {
      if records.count >= limit {
        end = place > 0 ? read[place - 1] : nil
        return
      }
      if isIncluded(record) { records.append(record) }
    }
    if read.count >= rows { end = read.last }
  }
}

/// A place in a list that is ordered by time, then by identifier.
public struct CreationPlace: Sendable, Hashable {
  /// The time, seconds since 1970.
  public var created: Int64
  /// The identifier of a record of that time.
  public var id: Identifier

  /// A place.
  public init(created: Int64, id: Identifier) { (self.created, self.id) = (created, id) }
}
