import LatchkeyTestSupport
import Foundation
import LatchkeySQLiteTestSupport
import LatchkeyKeychainModel
import Synchronization

@testable import LatchkeyKeychainStore

/// A folder of a test's own, gone with it.
final class StoreFolder: Sendable {
  let path: String
  /// The clock of the keychains opened here, in seconds since 2001.
  let now = Mutex<Double>(800_000_000)

  init() throws {
    path = NSTemporaryDirectory() + "keychain-store-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var database: String { path + "/keychain.db" }
  var key: String { path + "/keychain.key" }

  func configuration() -> KeychainDatabase.Configuration {
    var configuration = KeychainDatabase.Configuration(path: database)
    configuration.scryptRounds = 16
    configuration.now = { [self] in now.withLock { $0 } }
    return configuration
  }

  func open() throws(StoreError) -> KeychainDatabase { try KeychainDatabase(configuration()) }

  /// Runs SQL on the file as another program would.
  func edit(_ sql: String, _ arguments: [any ColumnConvertible] = []) throws {
    try ForeignConnection(database).execute(sql, arguments)
  }

  func ask<Value: ColumnConvertible>(_ sql: String) throws -> [Value] { try ForeignConnection(database).values(sql) }
}

let me = Entitlements(accessGroups: ["mine", "shared"])

extension NewItem {
  static func password(_ account: String, _ service: String = "service", data: String? = "secret") -> NewItem {
    NewItem(
      .genericPassword, attributes: [.account: .text(account), .service: .text(service)],
      data: data.map { Array($0.utf8) })
  }
}

extension ItemQuery {
  static func password(_ account: String, _ service: String? = "service", wantsData: Bool = true) -> ItemQuery {
    var query = ItemQuery(.genericPassword, attributes: [.account: .text(account)], wantsData: wantsData)
    if let service { query.attributes[.service] = .text(service) }
    return query
  }

  static func all(_ itemClass: ItemClass = .genericPassword) -> ItemQuery {
    ItemQuery(itemClass, limit: nil, wantsData: true)
  }
}

extension StoreError {
  var isDamaged: Bool { if case .damaged = self { true } else { false } }
  var isLocked: Bool { if case .locked = self { true } else { false } }
  var isInvalid: Bool { if case .invalidParameter = self { true } else { false } }
}

/// The error that `body` throws; nil if none.
func failure(_ body: () throws(StoreError) -> some Any) -> StoreError? {
  do throws(StoreError) {
    _ = try body()
    return nil
  } catch {
    return error
  }
}

/// Runs `body` in so many threads at once, and returns when all have ended.
func inThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let ended = DispatchGroup()
  for index in 0..<count {
    ended.enter()
    Thread {
      body(index)
      ended.leave()
    }.start()
  }
  ended.wait()
}
