import Glibc
import LatchkeyKeychainModel
import LatchkeySystem

/// A copy of a damaged file, stored beside it before a repair drops any of its content.
struct DamagedCopy {
  /// The database file.
  var database: [UInt8]
  /// Its log, where SQLite cannot play it into the file.
  var log: [UInt8] = []

  /// Writes it to `….before-repair`, or to the next free number. A copy that is there already serves again.
  ///
  /// - Returns: its name.
  func keep(besides path: String) throws(StoreError) -> String {
    var number = 1
    while true {
      let name = "\(path).before-repair\(number == 1 ? "" : "-\(number)")"
      if try isKept(at: name) { return name }
      if access(name, F_OK) != 0, access(name + "-wal", F_OK) != 0 {
        // The log first: a database without it would be an earlier one.
        if !log.isEmpty { try write(log, to: name + "-wal", for: path) }
        try write(database, to: name, for: path)
        return name
      }
      number += 1
    }
  }

  private func isKept(at name: String) throws(StoreError) -> Bool {
    guard FilePaths.size(name) == database.count, FilePaths.size(name + "-wal") == log.count else { return false }
    guard try Self.read(name, database.count) == database else { return false }
    return try Self.read(name + "-wal", log.count) == log
  }

  private static func read(_ name: String, _ count: Int) throws(StoreError) -> [UInt8] {
    try OwnedFile(path: name, what: "copy of the keychain").read(maximum: count) ?? []
  }

  private func write(_ bytes: [UInt8], to name: String, for path: String) throws(StoreError) {
    let draft = Salvage.draftName(for: path)
    try OwnedFile.write(bytes, toNew: draft, for: path)
    defer { unlink(draft) }
    guard try OwnedFile.place(draft, at: name) else { throw .busy(path: path) }
    try OwnedFile.syncFolder(of: path)
  }
}
