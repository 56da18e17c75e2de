import LatchkeyKeychainModel

/// Reads and writes the tables `header` and `slot`.
///
/// The header is row 1 of its table. Row 2 is a copy of the key records, so that the loss of the page on which the table
/// `slot` stands loses nothing; only the header's digest makes it valid. A file of an earlier version may lack it.
enum HeaderTable {
  /// The header as it stands in its row.
  struct Clear {
    var format: Int64
    var uuid: [UInt8]
    var counter: Int64
    var sealed: [UInt8]
  }

  /// The header's clear part.
  ///
  /// - Throws: `.damaged` if there is not exactly one header, `.newerFormat`.
  static func readClear(_ connection: Connection) throws(StoreError) -> Clear {
    let statement = try connection.statement("SELECT format, uuid, counter, state FROM header WHERE id = 1")
    defer { statement.reset() }
    guard try statement.step() else { throw .damaged("\(connection.path) has no header") }
    let format = try statement.integer(0)
    if format > StoreFormat.current {
      throw .newerFormat(path: connection.path, found: Int(clamping: format), known: Int(StoreFormat.current))
    }
    guard format >= StoreFormat.first else { throw .damaged("the header has format \(format)") }
    return Clear(
      format: format, uuid: try statement.bytes(1, size: 16), counter: try statement.integer(2),
      sealed: try statement.bytes(3))
  }

  static func read(_ connection: Connection, _ parts: StoreParts) throws(StoreError) -> Header {
    let clear = try readClear(connection)
    guard clear.uuid == parts.uuid else { throw .damaged("\(connection.path) became another keychain") }
    return try parts.headerSeal.open(clear.sealed, format: clear.format, uuid: clear.uuid, counter: clear.counter)
  }

  static func insert(_ header: Header, _ connection: Connection, _ seal: HeaderSeal) throws(StoreError) {
    let statement = try connection.statement(
      "INSERT INTO header(id, format, uuid, counter, state) VALUES(1, ?, ?, ?, ?)")
    statement.bind(header.format, 1)
    statement.bind(header.uuid, 2)
    statement.bind(header.counter, 3)
    statement.bind(try seal.seal(header), 4)
    try statement.run()
  }

  static func update(_ header: Header, _ connection: Connection, _ seal: HeaderSeal) throws(StoreError) {
    let statement = try connection.statement("UPDATE header SET format = ?, counter = ?, state = ? WHERE id = 1")
    statement.bind(header.format, 1)
    statement.bind(header.counter, 2)
    statement.bind(try seal.seal(header), 3)
    try statement.run()
  }

  // MARK: Key slots

  static func readSlots(_ connection: Connection) throws(StoreError) -> [KeyRecord] {
    let statement = try connection.statement("SELECT record FROM slot ORDER BY id")
    defer { statement.reset() }
    var records: [KeyRecord] = []
    while try statement.step() {
      guard records.count < KeyRecord.maximumCount else { throw .damaged("there are too many key records") }
      do {
        records.append(try KeyRecord(encoded: try statement.bytes(0)))
      } catch let error as StoreError {
        throw error
      } catch {
        throw .damaged("a key record does not read")
      }
    }
    return records
  }

  /// Writes the key records, and their copy in the place of the copy before.
  static func writeSlots(_ records: [KeyRecord], _ connection: Connection) throws(StoreError) {
    try writeCopy(records, connection)
    try connection.run("DELETE FROM slot")
    for (index, record) in records.enumerated() {
      let statement = try connection.statement("INSERT INTO slot(id, record) VALUES(?, ?)")
      statement.bind(Int64(index) + 1, 1)
      statement.bind(record.encoded, 2)
      try statement.run()
    }
  }

  /// The digest of the slots in the header.
  static func digest(_ records: [KeyRecord]) -> [UInt8] { KeyRecordList.digest(records) }

  // MARK: The copy of the key records

  /// The number of the copy's row in the table `header`.
  static let copyID: Int64 = 2

  static func writeCopy(_ records: [KeyRecord], _ connection: Connection) throws(StoreError) {
    let statement = try connection.statement(
      "INSERT OR REPLACE INTO header(id, format, uuid, counter, state) VALUES(\(copyID), 0, x'', 0, ?)")
    statement.bind(KeyRecordList.encode(records), 1)
    try statement.run()
  }

  /// The key records of the copy: none if it does not read, nil if there is no copy.
  static func readCopy(_ connection: Connection) throws(StoreError) -> [KeyRecord]? {
    do {
      let statement = try connection.statement("SELECT state FROM header WHERE id = \(copyID)")
      defer { statement.reset() }
      return try statement.step() ? decodeCopy(try statement.bytes(0)) : nil
    } catch .damaged {
      return []
    }
  }

  /// The key records of a copy; none for anything else.
  static func decodeCopy(_ bytes: [UInt8]) -> [KeyRecord] { (try? KeyRecordList.decode(bytes)) ?? [] }

  /// The key records that an authentic header names, from the table or else from the copy.
  ///
  /// - Parameter digest: what the header keeps of them.
  /// - Returns: the records, and whether the table has others; nil if neither has them.
  static func records(
    named digest: [UInt8], _ connection: Connection
  ) throws(StoreError) -> (records: [KeyRecord], isCopy: Bool)? {
    do {
      let stored = try readSlots(connection)
      if Self.digest(stored) == digest { return (stored, false) }
    } catch .damaged {
      // The copy may have them.
    }
    guard let copy = try readCopy(connection), Self.digest(copy) == digest else { return nil }
    return (copy, true)
  }
}
