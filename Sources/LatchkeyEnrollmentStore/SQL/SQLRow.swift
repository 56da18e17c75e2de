public import LatchkeyEnrollmentProtocol

/// A row of an answer, read column by column: what is not what the table holds is damage, never a trap.
public struct SQLRow: Sendable {
  private let values: [SQLValue]

  init(_ values: [SQLValue]) { self.values = values }

  /// The whole number of a column, counted from 0.
  ///
  /// - Throws: `.damaged` if the column holds something else.
  public func integer(_ column: Int) throws(EnrollmentStoreError) -> Int64 {
    guard case .integer(let value) = self[column] else { throw unexpected(column) }
    return value
  }

  /// The whole number of a column; nil for NULL.
  ///
  /// - Throws: `.damaged` if the column holds something else.
  public func optionalInteger(_ column: Int) throws(EnrollmentStoreError) -> Int64? {
    isNull(column) ? nil : try integer(column)
  }

  /// The text of a column.
  ///
  /// - Throws: `.damaged` if the column holds something else.
  public func text(_ column: Int) throws(EnrollmentStoreError) -> String {
    guard case .text(let value) = self[column] else { throw unexpected(column) }
    return value
  }

  /// The name of a user in a column.
  ///
  /// - Throws: `.damaged` if the column holds something else.
  public func userName(_ column: Int) throws(EnrollmentStoreError) -> UserName { UserName(stored: try text(column)) }

  /// The text of a column; nil for NULL.
  ///
  /// - Throws: `.damaged` if the column holds something else.
  public func optionalText(_ column: Int) throws(EnrollmentStoreError) -> String? {
    isNull(column) ? nil : try text(column)
  }

  /// The bytes of a column.
  ///
  /// - Throws: `.damaged` if the column holds something else.
  public func bytes(_ column: Int) throws(EnrollmentStoreError) -> [UInt8] {
    guard case .bytes(let value) = self[column] else { throw unexpected(column) }
    return value
  }

  /// The bytes of a column; nil for NULL.
  ///
  /// - Throws: `.damaged` if the column holds something else.
  public func optionalBytes(_ column: Int) throws(EnrollmentStoreError) -> [UInt8]? {
    isNull(column) ? nil : try bytes(column)
  }

  /// The identifier in a column.
  ///
  /// - Throws: `.damaged` if the column holds something else.
  public func identifier(_ column: Int) throws(EnrollmentStoreError) -> Identifier {
    guard let identifier = Identifier(bytes: try bytes(column)) else { throw unexpected(column) }
    return identifier
  }

  /// The identifier in a column; nil for NULL.
  ///
  /// - Throws: `.damaged` if the column holds something else.
  public func optionalIdentifier(_ column: Int) throws(EnrollmentStoreError) -> Identifier? {
    isNull(column) ? nil : try identifier(column)
  }

  private func isNull(_ column: Int) -> Bool { self[column] == .null }

  private subscript(column: Int) -> SQLValue? { values.indices.contains(column) ? values[column] : nil }

  private func unexpected(_ column: Int) -> EnrollmentStoreError {
    .damaged("column \(column) of a row holds something else than its table says: restore a copy of the database")
  }
}

extension SQLValue {
  /// A whole number, or NULL.
  public init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }
  /// A text, or NULL.
  public init(_ value: String?) { self = value.map { .text($0) } ?? .null }
  /// Bytes, or NULL.
  public init(_ value: [UInt8]?) { self = value.map { .bytes($0) } ?? .null }
  /// The bytes of an identifier, or NULL.
  public init(_ value: Identifier?) { self = value.map { .bytes($0.bytes) } ?? .null }
}
