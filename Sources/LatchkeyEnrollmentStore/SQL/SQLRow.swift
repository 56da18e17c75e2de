internal import LatchkeyEnrollmentProtocol

/// A row of an answer, read column by column: what is not what the table holds is damage, never a trap.
struct SQLRow {
  private let values: [SQLValue]

  init(_ values: [SQLValue]) { self.values = values }

  func integer(_ column: Int) throws(EnrollmentStoreError) -> Int64 {
    guard case .integer(let value) = self[column] else { throw unexpected(column) }
    return value
  }

  func optionalInteger(_ column: Int) throws(EnrollmentStoreError) -> Int64? {
    isNull(column) ? nil : try integer(column)
  }

  func text(_ column: Int) throws(EnrollmentStoreError) -> String {
    guard case .text(let value) = self[column] else { throw unexpected(column) }
    return value
  }

  func userName(_ column: Int) throws(EnrollmentStoreError) -> UserName { UserName(stored: try text(column)) }

  func optionalText(_ column: Int) throws(EnrollmentStoreError) -> String? {
    isNull(column) ? nil : try text(column)
  }

  func bytes(_ column: Int) throws(EnrollmentStoreError) -> [UInt8] {
    guard case .bytes(let value) = self[column] else { throw unexpected(column) }
    return value
  }

  func optionalBytes(_ column: Int) throws(EnrollmentStoreError) -> [UInt8]? {
    isNull(column) ? nil : try bytes(column)
  }

  func identifier(_ column: Int) throws(EnrollmentStoreError) -> Identifier {
    guard let identifier = Identifier(bytes: try bytes(column)) else { throw unexpected(column) }
    return identifier
  }

  func optionalIdentifier(_ column: Int) throws(EnrollmentStoreError) -> Identifier? {
    isNull(column) ? nil : try identifier(column)
  }

  private func isNull(_ column: Int) -> Bool { self[column] == .null }

  private subscript(column: Int) -> SQLValue? { values.indices.contains(column) ? values[column] : nil }

  private func unexpected(_ column: Int) -> EnrollmentStoreError {
    .damaged("column \(column) of a row holds something else than its table says: restore a copy of the database")
  }
}

extension SQLValue {
  init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }
  init(_ value: String?) { self = value.map { .text($0) } ?? .null }
  init(_ value: [UInt8]?) { self = value.map { .bytes($0) } ?? .null }
  init(_ value: Identifier?) { self = value.map { .bytes($0.bytes) } ?? .null }
}
