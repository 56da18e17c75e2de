import Foundation
import GRDB

/// Somebody who can write to a keychain's file, and has none of its keys.
final class TortureIntruder {
  let queue: DatabaseQueue

  init(_ path: String) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.foreignKeysEnabled = false
    queue = try DatabaseQueue(path: path, configuration: configuration)
  }

  func execute(_ sql: String, _ arguments: StatementArguments = []) throws {
    try queue.write { try $0.execute(sql: sql, arguments: arguments) }
  }

  func rows(_ sql: String, _ arguments: StatementArguments = []) throws -> [Row] {
    try queue.read { try Row.fetchAll($0, sql: sql, arguments: arguments) }
  }

  func bytes(_ sql: String) throws -> [UInt8] {
    guard let bytes = try queue.read({ try Data.fetchOne($0, sql: sql) }) else {
      throw TortureFailure(description: "\(sql) answers nothing")
    }
    return [UInt8](bytes)
  }

  /// All rows of these tables as they are now.
  func snapshot(_ tables: [String]) throws -> [String: [Row]] {
    var snapshot: [String: [Row]] = [:]
    for table in tables { snapshot[table] = try rows("SELECT * FROM \(table)") }
    return snapshot
  }

  /// Puts rows back in one transaction, in place of all that the tables hold.
  func restore(_ snapshot: [String: [Row]]) throws {
    try queue.write { database in
      for (table, rows) in snapshot {
        try database.execute(sql: "DELETE FROM \(table)")
        for row in rows { try Self.insert(row, into: table, database) }
      }
    }
  }

  func insert(_ row: Row, into table: String) throws {
    try queue.write { try Self.insert(row, into: table, $0) }
  }

  private static func insert(_ row: Row, into table: String, _ database: Database) throws {
    let names = row.columnNames.joined(separator: ", ")
    let places = row.columnNames.map { _ in "?" }.joined(separator: ", ")
    try database.execute(
      sql: "INSERT OR REPLACE INTO \(table)(\(names)) VALUES(\(places))",
      arguments: StatementArguments(row.map { $0.1 }))
  }

  /// Flips one bit of a column of bytes, or adds one to a number, in the row of this number.
  func flip(_ column: String, of table: String, row: Int64, byte: Int = 0) throws {
    try queue.write { database in
      guard
        let value = try Row.fetchOne(database, sql: "SELECT \(column) FROM \(table) WHERE rowid = ?", arguments: [row])
      else { throw TortureFailure(description: "\(table) has no row \(row)") }
      let changed: DatabaseValue
      switch (value[0] as DatabaseValue).storage {
      case .blob(let data):
        var bytes = [UInt8](data)
        bytes[byte % bytes.count] ^= 1 << UInt8(byte % 8)
        changed = Data(bytes).databaseValue
      case .int64(let number): changed = (number + 1).databaseValue
      case .null: changed = Data([1]).databaseValue
      default: throw TortureFailure(description: "\(table).\(column) holds something unknown")
      }
      try database.execute(
        sql: "UPDATE \(table) SET \(column) = ? WHERE rowid = ?", arguments: [changed, row])
    }
  }

  func close() throws { try queue.close() }
}
