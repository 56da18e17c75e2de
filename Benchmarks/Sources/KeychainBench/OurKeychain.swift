import Foundation
import LatchkeyKeychainModel
import LatchkeyKeychainStore
import Security
import Synchronization

/// A keychain of ours in a folder of its own.
final class OurKeychain: Sendable {
  let database: KeychainDatabase
  private let entitlements = Entitlements.none

  init(folder: URL, name: String) throws {
    database = try KeychainDatabase(KeychainDatabase.Configuration(path: OurKeychain.path(folder, name)))
  }

  init(path: String) throws { database = try KeychainDatabase(KeychainDatabase.Configuration(path: path)) }

  static func path(_ folder: URL, _ name: String) -> String {
    folder.appending(path: name).appending(path: "keychain.db").path()
  }

  /// Fills up to `items`, sixteen writers at once.
  func fill(_ items: Int) throws {
    try OurKeychain.concurrently(16) { writer in
      for id in stride(from: writer, to: items, by: 16) { try self.add(id) }
    }
  }

  /// Adds items from this number on for so many seconds, sixteen writers at once, and returns how many.
  func add(from first: Int, for seconds: Double) throws -> Int {
    let added = Atomic(0)
    let end = monotonicSeconds() + seconds
    try OurKeychain.concurrently(16) { writer in
      var id = first + writer
      while monotonicSeconds() < end {
        try self.add(id)
        id += 16
      }
      added.add((id - first) / 16, ordering: .relaxed)
    }
    return added.load(ordering: .relaxed)
  }

  func add(_ id: Int) throws {
    let item = NewItem(
      .genericPassword,
      attributes: [.account: .text("account \(id)"), .service: .text("service"), .label: .text("label \(id)")],
      data: Array("password \(id)".utf8))
    try database.add(item, as: entitlements)
  }

  /// By account and service, with its data.
  func find(_ id: Int) throws {
    let query = ItemQuery(
      .genericPassword, attributes: [.account: .text("account \(id)"), .service: .text("service")], wantsData: true)
    let found = try database.find(query, as: entitlements)
    guard found.count == 1, found[0].data == Array("password \(id)".utf8) else {
      throw BenchFailure.wrongResult("find")
    }
  }

  /// Six keys, data and attributes returned.
  static func findThroughSecurity(_ id: Int) throws {
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: "account \(id)",
      kSecAttrService as String: "service", kSecMatchLimit as String: kSecMatchLimitOne,
      kSecReturnData as String: true, kSecReturnAttributes as String: true,
    ]
    var result: CFTypeRef?
    guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess,
      let found = result as? NSDictionary, let data = found[kSecValueData] as? Data,
      data.count == "password \(id)".utf8.count
    else { throw BenchFailure.wrongResult("SecItemCopyMatching") }
  }

  /// Runs `body` on so many threads, and throws what the first of them threw.
  static func concurrently(_ threads: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
    let failures = Failures()
    let group = DispatchGroup()
    for number in 0..<threads {
      group.enter()
      let thread = Thread {
        do { try body(number) } catch { failures.add(error) }
        group.leave()
      }
      thread.start()
    }
    group.wait()
    if let failure = failures.first { throw failure }
  }
}

/// What threads threw.
private final class Failures: @unchecked Sendable {
  private let lock = NSLock()  // guards `errors`
  private var errors: [any Error] = []

  func add(_ error: any Error) { lock.withLock { errors.append(error) } }
  var first: (any Error)? { lock.withLock { errors.first } }
}
