import Foundation
import LatchkeyEnrollmentStore
import Synchronization

/// A store of SQLite in a folder of its own, with hooks to hold it up. It runs every writing body twice and undoes the first run, as
/// a store may after a conflict: a body that cannot be run again shows here.
final class ObservedStore: EnrollmentStore {
  struct Hooks {
    var reads = 0
    /// Waited for before each read.
    var beforeRead: (@Sendable () async throws -> Void)?
    /// Waited for after each read, before its answer is given.
    var afterRead: (@Sendable () async throws -> Void)?
  }

  private struct Undone: Error {}

  private let store: SQLiteStore
  private let folder: URL
  private let hooks = Mutex(Hooks())

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-store-\(UUID().uuidString)")
    store = try SQLiteStore(path: folder.appending(path: "enrollment.db").path, node: "test")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var reads: Int { hooks.withLock { $0.reads } }
  func set(_ change: @Sendable (inout Hooks) -> Void) { hooks.withLock { change(&$0) } }

  func read<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
    let (before, after) = hooks.withLock {
      $0.reads += 1
      return ($0.beforeRead, $0.afterRead)
    }
    try await before?()
    let result = try await store.read(body)
    try await after?()
    return result
  }

  func write<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
    do {
      try await store.write {
        _ = try body($0)
        throw Undone()
      }
    } catch is Undone {}
    return try await store.write(body)
  }

  func close() async { await store.close() }

  /// The entries of the audit chain, oldest first.
  var events: [AuditEntry] {
    get async throws {
      try await store.read { try $0.auditEntries(node: "test", after: 0, limit: 10_000).map(\.entry) }
    }
  }
}
