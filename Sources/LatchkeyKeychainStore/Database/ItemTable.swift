import LatchkeyKeychainModel
import LatchkeySQLite

/// Reads and writes the tables `item` and `tag`.
enum ItemTable {
  /// The columns in the order in which ``row(_:withData:)`` reads them.
  static let columns =
    "id, uuid, class, sync, agrp_tag, pdmn, uniq, ver, epoch, acl, leaf, tags, meta, wrapped_dek, data"
  /// The same with the table's name before each.
  static let qualifiedColumns = columns.split(separator: ", ").map { "item." + $0 }.joined(separator: ", ")

  /// The row that `statement` stands on; without its key and data unless `withData`.
  static func row(_ statement: SQLStatement, withData: Bool = true) throws(StoreError) -> ItemRow {
    ItemRow(
      id: try statement.integer(0), uuid: try statement.bytes(1, size: 16), itemClass: try statement.integer(2),
      synchronizable: try statement.integer(3), groupTag: try statement.bytes(4, size: AttributeTag.size),
      accessibility: try statement.integer(5), uniqueTag: try statement.bytes(6, size: AttributeTag.size),
      version: try statement.integer(7), epoch: try statement.integer(8), accessControl: try statement.optionalBytes(9),
      tags: try statement.bytes(11), meta: try statement.bytes(12),
      wrappedKey: withData ? try statement.optionalBytes(13) : nil,
      data: withData ? try statement.optionalBytes(14) : nil, mark: try statement.bytes(10, size: 32))
  }

  /// Inserts `row` and returns its number; nil if another row has its primary key.
  static func insert(_ row: ItemRow, _ connection: Connection) throws(StoreError) -> Int64? {
    let statement = try connection.statement(
      """
      INSERT INTO item(uuid, class, sync, agrp_tag, pdmn, uniq, ver, epoch, acl, leaf, tags, meta, wrapped_dek, data) \
      VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
      """)
    bind(row, statement)
    try statement.run()
    return connection.database.changedRows == 0 ? nil : connection.database.lastInsertedRow
  }

  /// Inserts `row` under a number that it had before.
  static func insert(_ row: ItemRow, number: Int64, _ connection: Connection) throws(StoreError) {
    guard let id = try insert(row, connection) else { return }
    let statement = try connection.statement("UPDATE item SET id = ? WHERE id = ?")
    statement.bind(number, 1)
    statement.bind(id, 2)
    try statement.run()
  }

  /// Overwrites the row of `row`'s number.
  static func update(_ row: ItemRow, _ connection: Connection) throws(StoreError) {
    let statement = try connection.statement(
      """
      UPDATE item SET uuid = ?, class = ?, sync = ?, agrp_tag = ?, pdmn = ?, uniq = ?, ver = ?, epoch = ?, acl = ?, \
      leaf = ?, tags = ?, meta = ?, wrapped_dek = ?, data = ? WHERE id = ?
      """)
    bind(row, statement)
    statement.bind(row.id, 15)
    try statement.run()
  }

  static func delete(_ id: Int64, _ connection: Connection) throws(StoreError) {
    let statement = try connection.statement("DELETE FROM item WHERE id = ?")
    statement.bind(id, 1)
    try statement.run()
  }

  private static func bind(_ row: ItemRow, _ statement: SQLStatement) {
    statement.bind(row.uuid, 1)
    statement.bind(row.itemClass, 2)
    statement.bind(row.synchronizable, 3)
    statement.bind(row.groupTag, 4)
    statement.bind(row.accessibility, 5)
    statement.bind(row.uniqueTag, 6)
    statement.bind(row.version, 7)
    statement.bind(row.epoch, 8)
    statement.bind(row.accessControl, 9)
    statement.bind(row.mark, 10)
    statement.bind(row.tags, 11)
    statement.bind(row.meta, 12)
    statement.bind(row.wrappedKey, 13)
    statement.bind(row.data, 14)
  }

  /// The number of the item that has this primary key.
  static func id(ofUniqueTag tag: [UInt8], _ connection: Connection) throws(StoreError) -> Int64? {
    let statement = try connection.statement("SELECT id FROM item WHERE uniq = ?")
    defer { statement.reset() }
    statement.bind(tag, 1)
    return try statement.step() ? try statement.integer(0) : nil
  }

  // MARK: Searched tags

  static func insertTags(_ tags: [AttributeTag], of item: Int64, _ connection: Connection) throws(StoreError) {
    guard !tags.isEmpty else { return }
    let statement = try connection.statement("INSERT INTO tag(name, value, item) VALUES(?, ?, ?)")
    for tag in tags {
      statement.bind(Int64(tag.name), 1)
      statement.bind(tag.value, 2)
      statement.bind(item, 3)
      try statement.run()
    }
  }

  static func deleteTags(_ tags: [AttributeTag], of item: Int64, _ connection: Connection) throws(StoreError) {
    guard !tags.isEmpty else { return }
    let statement = try connection.statement("DELETE FROM tag WHERE name = ? AND value = ? AND item = ?")
    for tag in tags {
      statement.bind(Int64(tag.name), 1)
      statement.bind(tag.value, 2)
      statement.bind(item, 3)
      try statement.run()
    }
  }
}

extension ItemTable {
  /// All rows that go with the passcode, without their data: those of WhenPasscodeSet, and those bound to it.
  static func rowsOfPasscode(_ connection: Connection) throws(StoreError) -> [ItemRow] {
    let statement = try connection.statement(
      "SELECT \(columns) FROM item WHERE pdmn = ? OR acl IS NOT NULL ORDER BY id")
    defer { statement.reset() }
    let code = StoredCodes.code(of: .whenPasscodeSetThisDeviceOnly)
    statement.bind(code, 1)
    var rows: [ItemRow] = []
    while try statement.step() {
      let row = try row(statement, withData: false)
      let control = try row.control(under: .whenPasscodeSetThisDeviceOnly)
      if row.accessibility == code || control.isBoundToPasscode { rows.append(row) }
    }
    return rows
  }
}
