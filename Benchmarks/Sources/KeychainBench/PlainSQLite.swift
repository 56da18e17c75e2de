import CPlainSQLite
import Foundation
import GRDB

/// SQLite by its own interface, one writer.
final class PlainWriter {
  private let writer: OpaquePointer
  private var generator = QuickGenerator()

  init(folder: URL) throws {
    guard let writer = plain_writer_open(folder.appending(path: "plain-\(UUID().uuidString).db").path()) else {
      throw BenchFailure.peerRefused
    }
    self.writer = writer
  }

  deinit { plain_writer_close(writer) }

  static var version: String { String(cString: plain_sqlite_version()) }

  func add() throws {
    let row = randomBytes(400)
    let tags = randomBytes(48)
    guard plain_writer_add(writer, row, Int32(row.count), tags) == 0 else { throw BenchFailure.peerRefused }
  }

  private func randomBytes(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
      for place in stride(from: 0, to: count, by: 8) {
        UnsafeMutableRawBufferPointer(bytes).storeBytes(of: generator.next(), toByteOffset: place, as: UInt64.self)
      }
      initialized = count
    }
  }
}

/// Pseudorandom numbers at almost no cost (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators"): the benchmark measures the database.
private struct QuickGenerator: RandomNumberGenerator {
  private var state = UInt64.random(in: .min ... .max)

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

/// The select that a find is measured against: two tags and the item's row, through GRDB's pool of readers, by a cached
/// statement, the blobs copied out. Rows and tags have the size of the keychain's.
final class PlainSelect {
  private let pool: DatabasePool
  private let count: Int

  init(folder: URL, items: Int) throws {
    count = items
    pool = try DatabasePool(path: folder.appending(path: "select-\(UUID().uuidString).db").path())
    try pool.write { database in
      try database.execute(
        sql: """
          CREATE TABLE item(id INTEGER PRIMARY KEY, meta BLOB, wrapped_dek BLOB, data BLOB);
          CREATE TABLE tag(name INTEGER, value BLOB, item INTEGER, PRIMARY KEY(name, value, item)) WITHOUT ROWID
          """)
      let insertItem = try database.makeStatement(
        sql: "INSERT INTO item(id, meta, wrapped_dek, data) VALUES(?, randomblob(180), randomblob(60), randomblob(60))")
      let insertTag = try database.makeStatement(sql: "INSERT INTO tag(name, value, item) VALUES(?, ?, ?)")
      for id in 0..<items {
        try insertItem.execute(arguments: [id])
        for name in 0..<2 { try insertTag.execute(arguments: [name, Self.tag(name, id), id]) }
        try insertTag.execute(arguments: [2, Self.tag(2, 0), id])
      }
    }
  }

  func find(_ id: Int) throws -> Int {
    try pool.read { database in
      let statement = try database.cachedStatement(
        sql: """
          SELECT item.meta, item.wrapped_dek, item.data FROM tag AS a JOIN tag AS b ON b.item = a.item
          JOIN item ON item.id = a.item WHERE a.name = 0 AND a.value = ? AND b.name = 1 AND b.value = ?
          """)
      statement.setUncheckedArguments([Self.tag(0, id), Self.tag(1, id)])
      guard let row = try Row.fetchOne(statement) else { throw BenchFailure.wrongResult("no row") }
      let meta: Data = row[0]
      let key: Data = row[1]
      let data: Data = row[2]
      return meta.count + key.count + data.count
    }
  }

  /// 16 pseudorandom bytes, the same for each call.
  private static func tag(_ name: Int, _ id: Int) -> Data {
    var state = UInt64(truncatingIfNeeded: id &* 4 &+ name &+ 1) &* 0x9E37_79B9_7F4A_7C15
    var bytes = Data(capacity: 16)
    for _ in 0..<2 {
      state ^= state >> 31
      state = state &* 0xBF58_476D_1CE4_E5B9
      state ^= state >> 29
      withUnsafeBytes(of: state) { bytes.append(contentsOf: $0) }
    }
    return bytes
  }
}
