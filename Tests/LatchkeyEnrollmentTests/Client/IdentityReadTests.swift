import Dispatch
import LatchkeyKeychainModel
import LatchkeySwiftTesting
import Security
import Synchronization
import Testing

@testable import LatchkeyEnrollment

/// Record, certificates and keys are items of their own, which another process may replace between the reads of one identity.
@Suite(.temporaryKeychain(typing: "1234")) struct IdentityReadTests {
  @Test(
    "An identity that is replaced between any two of its reads is there, with all its parts",
    .timeLimit(.minutes(5)), arguments: [false, true])
  func replacedMeanwhile(_ changingKey: Bool) async throws {
    let (service, client) = try await enrolled()
    let session = try KeychainSession.current()
    let counting = PausingStore(session.store, at: 0)
    _ = try await identity(client, counting, session)
    #expect(counting.finds > 1)
    var renewed = 0
    for place in 1...counting.finds {
      let old = try #require(try await client.identity())
      let store = PausingStore(session.store, at: place)
      let reading = Task { try await identity(client, store, session) }
      await store.paused()
      let new: EnrolledIdentity
      do {
        defer { store.resume() }
        new = try await client.renew(changingKey: changingKey).value
      }
      let read = try await reading.value
      #expect(read != nil, "replaced before read \(place) of \(counting.finds)")
      #expect(read?.identity == old.identity || read?.identity == new.identity, "\(place)")
      if read?.identity == new.identity { renewed += 1 }
    }
    #expect(renewed > 0)
    withExtendedLifetime(service) {}
  }

  private func identity(
    _ client: EnrollmentClient, _ store: PausingStore, _ session: KeychainSession
  ) async throws -> EnrolledIdentity? {
    try await KeychainSession.$replacement.withValue(
      KeychainSession(store: store, entitlements: session.entitlements)
    ) { try await client.identity() }
  }
}

/// A keychain that pauses before one of its reads.
private final class PausingStore: ItemStore {
  private let store: any ItemStore
  private let place: Int
  private let count = Mutex(0)
  private let (pauses, pause) = AsyncStream.makeStream(of: Void.self)
  private let gate = DispatchSemaphore(value: 0)

  /// - Parameter place: the number of the read, from 1; 0 for none.
  init(_ store: any ItemStore, at place: Int) {
    self.store = store
    self.place = place
  }

  var finds: Int { count.withLock { $0 } }

  /// Waits until it pauses.
  func paused() async { _ = await pauses.first { true } }

  func resume() { gate.signal() }

  func find(_ query: ItemQuery, as caller: Entitlements) throws(StoreError) -> [StoredItem] {
    let number = count.withLock { count in
      count += 1
      return count
    }
    if number == place {
      pause.yield()
      gate.wait()
    }
    return try store.find(query, as: caller)
  }

  func add(_ item: NewItem, as caller: Entitlements) throws(StoreError) -> StoredItem {
    try store.add(item, as: caller)
  }

  func update(_ query: ItemQuery, with changes: ItemChanges, as caller: Entitlements) throws(StoreError) -> Int {
    try store.update(query, with: changes, as: caller)
  }

  func delete(_ query: ItemQuery, as caller: Entitlements) throws(StoreError) -> Int {
    try store.delete(query, as: caller)
  }

  var lockState: LockState { store.lockState }
  var presence: (any PresenceService)? { store.presence }
  var enclave: (any Enclave)? { store.enclave }
  var sharedPath: String? { store.sharedPath }
}
