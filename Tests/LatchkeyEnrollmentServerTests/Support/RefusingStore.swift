import LatchkeyEnrollmentStore
import Synchronization

/// A store that refuses writes while a test sets it, as on a full disk.
final class RefusingStore: EnrollmentStore {
  private let store: any EnrollmentStore
  private let error = Mutex<EnrollmentStoreError?>(nil)
  /// The error of writes; nil if they are accepted.
  var refusal: EnrollmentStoreError? {
    get { error.withLock { $0 } }
    set { error.withLock { $0 = newValue } }
  }

  init(_ store: any EnrollmentStore) { self.store = store }

  func read<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
    try await store.read(body)
  }

  func write<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
    if let refusal { throw refusal }
    return try await store.write(body)
  }

  func close() async { await store.close() }
}
