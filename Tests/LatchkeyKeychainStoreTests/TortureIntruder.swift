import Foundation
import LatchkeySQLiteTestSupport

/// Somebody who can write to a keychain's file, and has none of its keys.
final class TortureIntruder {
  let connection: ForeignConnection

  init(_ path: String) throws { connection = try ForeignConnection(path, busyTimeout: 5000) }

  func execute(_ sql: String, _ arguments: [any ColumnConvertible] = []) throws {
    try connection.transaction { try $0.execute(sql, arguments) }
  }

  func rows(_ sql: String) throws -> [ForeignRow] { try connection.rows(sql) }

  func bytes(_ sql: String) throws -> [UInt8] {
    guard let bytes: Data = try connection.value(sql) else {
      throw TortureFailure(description: "\(sql) answers nothing")
    }
    return [UInt8](bytes)
  }

  /// All rows of these tables as they are now.
  func snapshot(_ tables: [String]) throws -> [String: [ForeignRow]] {
    var snapshot: [String: [ForeignRow]] = [:]
    for table in tables { snapshot[table] = try rows("SELECT * FROM \(table)") }
    return snapshot
  }

  /// Puts rows back in one transaction, in place of all that the tables hold.
  func restore(_ snapshot: [String: [ForeignRow]]) throws {
    try connection.transaction { database in
      for (table, rows) in snapshot {
        try database.execute("DELETE FROM \(table)")
        for row in rows { try database.replace(row, in: table) }
      }
    }
  }

  func insert(_ row: ForeignRow, into table: String) throws {
    try connection.transaction { try $0.replace(row, in: table) }
  }

  /// Flips one bit of a column of bytes, or adds one to a number, in the row of this number.
  func flip(_ column: String, of table: String, row: Int64, byte: Int = 0) throws {
    try connection.transaction { database in
      let changed: ColumnValue
      switch try database.rows("SELECT \(column) FROM \(table) WHERE rowid = ?", [row]).first?[0] {
      case .bytes(let data):
        var bytes = [UInt8](data)
        bytes[byte % bytes.count] ^= 1 << UInt8(byte % 8)
        changed = .bytes(Data(bytes))
      case .integer(let number): changed = .integer(number + 1)
      case .null: changed = .bytes(Data([1]))
      case nil: throw TortureFailure(description: "\(table) has no row \(row)")
      default: throw TortureFailure(description: "\(table).\(column) holds something unknown")
      }
      try database.execute("UPDATE \(table) SET \(column) = ? WHERE rowid = ?", [changed, row])
    }
  }

  func close() { connection.close() }
}
