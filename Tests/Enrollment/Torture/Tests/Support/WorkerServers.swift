import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import Synchronization

/// Worker processes on one store, each started again when it has ended, and a device of theirs that is revoked and enrolled anew and
/// changes its key meanwhile.
final class WorkerServers: TortureServers {
  /// The client: a device, and the key that it has.
  private struct Asker: Sendable, Hashable {
    var device = Identifier.random()
    var key: UInt8 = 0
  }

  private let place: String
  private let store: any EnrollmentStore
  private let workers: Mutex<[WorkerProcess]>
  private let asker: Mutex<Asker>
  private let deck = Mutex<[Int]>([])
  private let harms: [@Sendable () async throws -> String?]

  /// So many workers on a store.
  ///
  /// - Parameters:
  ///   - store: the same store, through which devices are enrolled and revoked.
  ///   - harms: what may be done beside that and the ends of workers, and what was done; nil where it could not be done.
  init(
    _ place: String, store: any EnrollmentStore, count: Int, harms: [@Sendable () async throws -> String?] = []
  ) async throws {
    self.place = place
    self.store = store
    self.harms = harms
    let first = Asker()
    try await store.write { try Self.enroll(first, in: $0) }
    asker = Mutex(first)
    workers = Mutex(try (0..<count).map { try WorkerProcess([place, "worker \($0)"]) })
  }

  deinit { workers.withLock { for worker in $0 { worker.kill() } } }

  func send(_ transfer: TortureTransfer, client: Int) async -> TortureAnswer? {
    await send(transfer, as: asker.withLock { $0 })
  }

  private func send(_ transfer: TortureTransfer, as asker: Asker) async -> TortureAnswer? {
    guard let worker = workers.withLock({ $0.randomElement() }) else { return nil }
    let text = await worker.ask(
      "\(transfer.key) \(transfer.from) \(transfer.to) \(transfer.amount) \(asker.device) \(asker.key)")
    let words = (text ?? "").split(separator: " ").map(String.init)
    switch words.first {
    case "booked" where words.count == 2: return .booked(words[1])
    case "refused": return .refused
    default: return nil
    }
  }

  // MARK: Harm

  func harm(_ chance: inout Chance) async throws -> String {
    let kind = deck.withLock { deck in
      // Each kind once before any comes again.
      if deck.isEmpty { deck = Array(0..<5 + harms.count).shuffled(using: &chance) }
      return deck.removeLast()
    }
    let number = Int.random(in: 0..<workers.withLock { $0.count }, using: &chance)
    let worker = workers.withLock { $0[number] }
    switch kind {
    case 0: return try await replaceAsker("device revoked") { Asker(device: .random(), key: $0.key) }
    case 1: return try await replaceAsker("key changed") { Asker(device: $0.device, key: $0.key &+ 1) }
    case 2:
      guard worker.terminate() else { throw TortureFailure("a worker did not end well at SIGTERM") }
      try restart(number)
      return "SIGTERM"
    case 3 where !place.hasPrefix("postgres"):
      worker.limitFiles(to: 4096)
      try? await Task.sleep(for: .milliseconds(Int.random(in: 20...200, using: &chance)))
      worker.limitFiles(to: nil)
      return "disk full"
    case 5...: if let done = try await harms[kind - 5]() { return done }
    default: break
    }
    worker.kill()
    try restart(number)
    return "kill -9"
  }

  private func restart(_ number: Int) throws {
    let successor = try WorkerProcess([place, "worker \(number)"])
    workers.withLock { $0[number] = successor }
  }

  /// Puts another device or key in the place of the one that asks, and sees that the old one moves no money from then on.
  private func replaceAsker(_ name: String, _ change: (Asker) -> Asker) async throws -> String {
    let old = asker.withLock { $0 }
    let new = change(old)
    // A store that is full or cut off for a moment is asked again; what was done is not done twice.
    for _ in 0..<200 {
      do {
        try await store.write { store in
          if new.device == old.device {
            guard var device = try store.device(old.device) else { throw TortureFailure("the device is gone") }
            device.identityKey = [new.key]
            try store.updateDevice(device)
          } else if try store.device(new.device) == nil {
            _ = try store.revokeDevice(old.device, at: 1, reason: 5)
            try Self.enroll(new, in: store)
          }
        }
        asker.withLock { $0 = new }
        try await probe(old, name)
        return name
      } catch EnrollmentStoreError.unavailable {
        try await Task.sleep(for: .milliseconds(20))
      } catch EnrollmentStoreError.contention {}
    }
    throw TortureFailure("\(name): the store took no change")
  }

  private func probe(_ old: Asker, _ name: String) async throws {
    let probe = TortureTransfer(
      number: -1, key: "probe-" + Identifier.random().description, from: "700000000000", to: "700000000001", amount: 1)
    if case .booked = await send(probe, as: old) { throw TortureFailure("\(name): what was before it still books") }
  }

  private static func enroll(_ asker: Asker, in store: any StoreTransaction) throws {
    try store.addDevice(
      DeviceRecord(
        id: asker.device, user: UserName(stored: TortureLedger.user), name: "worker", created: 1,
        identityKey: [asker.key]))
  }
}
