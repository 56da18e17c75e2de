import CLatchkeySQLite
package import Foundation

/// A row that another program reads from a table.
package struct ForeignRow: Hashable, Sendable {
  /// The columns' names.
  package let names: [String]
  /// The columns' values, in the same order.
  package let values: [ColumnValue]

  init(_ statement: OpaquePointer) {
    let columns = 0..<sqlite3_column_count(statement)
    names = columns.map { sqlite3_column_name(statement, $0).map { String(cString: $0) } ?? "" }
    values = columns.map { ColumnValue(statement, $0) }
  }

  /// The value at an index.
  package subscript(index: Int) -> ColumnValue { values[index] }

  /// The value of a column; nil if the row has none of this name.
  package subscript(name: String) -> ColumnValue? { names.firstIndex(of: name).map { values[$0] } }
}

/// A value as SQLite stores it (sqlite.org/datatype3.html).
package enum ColumnValue: Hashable, Sendable, ExpressibleByIntegerLiteral {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case bytes(Data)

  package init(integerLiteral number: Int64) { self = .integer(number) }

  init(_ statement: OpaquePointer, _ column: Int32) {
    let count = Int(sqlite3_column_bytes(statement, column))
    self =
      switch sqlite3_column_type(statement, column) {
      case SQLITE_INTEGER: .integer(sqlite3_column_int64(statement, column))
      case SQLITE_FLOAT: .real(sqlite3_column_double(statement, column))
      case SQLITE_TEXT:
        .text(
          String(
            decoding: UnsafeBufferPointer(start: sqlite3_column_text(statement, column), count: count), as: UTF8.self))
      case SQLITE_BLOB: .bytes(sqlite3_column_blob(statement, column).map { Data(bytes: $0, count: count) } ?? Data())
      default: .null
      }
  }

  func bind(to statement: OpaquePointer, _ index: Int32) {
    // SQLite copies what is bound.
    let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    switch self {
    case .null: sqlite3_bind_null(statement, index)
    case .integer(let number): sqlite3_bind_int64(statement, index, number)
    case .real(let number): sqlite3_bind_double(statement, index, number)
    case .text(let text): sqlite3_bind_text(statement, index, text, Int32(text.utf8.count), copied)
    // No address would bind NULL.
    case .bytes(let data) where data.isEmpty: sqlite3_bind_zeroblob(statement, index, 0)
    case .bytes(let data):
      _ = data.withUnsafeBytes { sqlite3_bind_blob(statement, index, $0.baseAddress, Int32($0.count), copied) }
    }
  }
}

/// A type that a column's value is written from and read as.
package protocol ColumnConvertible {
  /// The value as SQLite stores it.
  var column: ColumnValue { get }

  /// Nil for a value of another kind.
  init?(_ column: ColumnValue)
}

extension ColumnValue: ColumnConvertible {
  package var column: ColumnValue { self }
  package init(_ column: ColumnValue) { self = column }
}

extension Int64: ColumnConvertible {
  package var column: ColumnValue { .integer(self) }

  package init?(_ column: ColumnValue) {
    guard case .integer(let number) = column else { return nil }
    self = number
  }
}

extension Int: ColumnConvertible {
  package var column: ColumnValue { .integer(Int64(self)) }
  package init?(_ column: ColumnValue) {
    guard let number = Int64(column) else { return nil }
    self = Int(number)
  }
}

extension String: ColumnConvertible {
  package var column: ColumnValue { .text(self) }

  /// A number is its decimal digits.
  package init?(_ column: ColumnValue) {
    switch column {
    case .text(let text): self = text
    case .integer(let number): self = "\(number)"
    default: return nil
    }
  }
}

extension Data: ColumnConvertible {
  package var column: ColumnValue { .bytes(self) }

  package init?(_ column: ColumnValue) {
    guard case .bytes(let data) = column else { return nil }
    self = data
  }
}
