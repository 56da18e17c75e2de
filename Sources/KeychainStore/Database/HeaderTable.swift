import ByteCoding
import Crypto
import KeychainModel

/// Reads and writes the tables `header` and `slot`.
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

  static func writeSlots(_ records: [KeyRecord], _ connection: Connection) throws(StoreError) {
    try connection.run("DELETE FROM slot")
    for (index, record) in records.enumerated() {
      let statement = try connection.statement("INSERT INTO slot(id, record) VALUES(?, ?)")
      statement.bind(Int64(index) + 1, 1)
      statement.bind(record.encoded, 2)
      try statement.run()
    }
  }

  /// What the header keeps of the slots: SHA-256 of all records in order, each with its length before it.
  static func digest(_ records: [KeyRecord]) -> [UInt8] {
    var writer = ByteWriter(capacity: 1024)
    for record in records {
      let encoded = record.encoded
      writer.uint32(UInt32(truncatingIfNeeded: encoded.count))
      writer.append(encoded)
    }
    return SHA256.hash(data: writer.bytes).withUnsafeBytes { [UInt8]($0) }
  }
}
