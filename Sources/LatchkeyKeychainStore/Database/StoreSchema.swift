import LatchkeyKeychainModel

/// The tables, the same in all formats (``StoreFormat``) but for one index.
enum StoreSchema {
  /// "KC1" and a zero, in the database file's own header, so that a keychain is known from other databases.
  static let applicationID: Int64 = 0x4B43_3100

  /// The tables of the database, as SQL.
  static let statements = tables + [indexWithMarks]

  /// The index of UUIDs in formats 1 and 2.
  private static let indexOfUUIDs = "CREATE UNIQUE INDEX item_uuid ON item(uuid)"
  /// The one of format 3: what stands in it beside a row tells the row's newest version, should the row be lost.
  private static let indexWithMarks = "CREATE INDEX item_uuid ON item(uuid, leaf)"

  private static let tables = [
    """
    CREATE TABLE header(id INTEGER PRIMARY KEY, format INTEGER NOT NULL, uuid BLOB NOT NULL, counter INTEGER NOT NULL, \
    state BLOB NOT NULL) STRICT
    """,
    "CREATE TABLE slot(id INTEGER PRIMARY KEY, record BLOB NOT NULL) STRICT",
    """
    CREATE TABLE item(id INTEGER PRIMARY KEY, uuid BLOB NOT NULL, class INTEGER NOT NULL, \
    sync INTEGER NOT NULL, agrp_tag BLOB NOT NULL, pdmn INTEGER NOT NULL, uniq BLOB NOT NULL, ver INTEGER NOT NULL, \
    epoch INTEGER NOT NULL, acl BLOB, leaf BLOB NOT NULL, tags BLOB NOT NULL, meta BLOB NOT NULL, wrapped_dek BLOB, \
    data BLOB) STRICT
    """,
    "CREATE UNIQUE INDEX item_uniq ON item(uniq)",
    "CREATE INDEX item_class ON item(class, agrp_tag)",
    """
    CREATE TABLE tag(name INTEGER NOT NULL, value BLOB NOT NULL, item INTEGER NOT NULL, \
    PRIMARY KEY(name, value, item)) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE audit(seq INTEGER PRIMARY KEY, time INTEGER NOT NULL, event INTEGER NOT NULL, item BLOB, \
    mac BLOB NOT NULL) STRICT
    """,
  ]

  /// Makes the tables in the transaction that is open.
  static func create(_ connection: Connection) throws(StoreError) {
    // In this order the tables that are written most come last.
    for statement in tables.prefix(3) + [indexWithMarks] + tables.dropFirst(3) { try connection.run(statement) }
    try connection.run("PRAGMA application_id = \(applicationID)")
  }

  /// Makes the tables of an earlier format those of format 3, in the transaction that is open.
  static func upgrade(_ connection: Connection) throws(StoreError) {
    guard try connection.number("SELECT count(*) FROM sqlite_schema WHERE sql = '\(indexOfUUIDs)'") == 1 else { return }
    try connection.run("DROP INDEX item_uuid")
    try connection.run(indexWithMarks)
  }

  /// The kind of a file.
  enum Found { case nothing, keychain }

  /// Distinguishes an empty database from a keychain, and a keychain from anything else: what it was at one instant, even while somebody
  /// makes it.
  ///
  /// - Throws: `.notAKeychain` for another program's database, `.newerFormat`, `.damaged` if the tables are not the
  ///   keychain's: nothing may hang on them that would run, or that would hide or double a row.
  static func look(_ connection: Connection) throws(StoreError) -> Found {
    let isInOthers = connection.isInTransaction
    if !isInOthers { try connection.run("BEGIN") }
    defer { if !isInOthers { try? connection.run("ROLLBACK") } }
    let mark = try connection.number("PRAGMA application_id") ?? 0
    let found = try objects(connection)
    if mark == 0 && found.isEmpty { return .nothing }
    guard mark == applicationID else { throw .notAKeychain(path: connection.path) }
    let format = try? connection.number("SELECT format FROM header WHERE id = 1")
    if let format, format > StoreFormat.current {
      throw .newerFormat(path: connection.path, found: Int(clamping: format), known: Int(StoreFormat.current))
    }
    // A header without a format is damage of its own.
    let isEarlier = format.map { $0 < StoreFormat.withSums } ?? found.contains(indexOfUUIDs)
    guard found == Set(tables + [isEarlier ? indexOfUUIDs : indexWithMarks]) else {
      throw .damaged("the tables of \(connection.path) are not those of a keychain")
    }
    return .keychain
  }

  private static func objects(_ connection: Connection) throws(StoreError) -> Set<String> {
    let statement = try connection.statement("SELECT sql FROM sqlite_schema")
    defer { statement.reset() }
    var objects: Set<String> = []
    while try statement.step() {
      // What SQLite makes for itself (the index of a primary key) has no text.
      if let sql = statement.text(0) { objects.insert(sql) }
    }
    return objects
  }
}
