import EnrollmentStore
import Synchronization

/// Worker processes on one store, each started again when it was killed.
final class WorkerServers: TortureServers {
  private let place: String
  private let workers: Mutex<[WorkerProcess]>
  private let otherHarm: @Sendable () async throws -> String?

  /// So many workers on a store.
  ///
  /// - Parameter otherHarm: what may be done beside killing them, and its name.
  init(_ place: String, count: Int, otherHarm: @escaping @Sendable () async throws -> String? = { nil }) throws {
    self.place = place
    self.otherHarm = otherHarm
    workers = Mutex(try (0..<count).map { try WorkerProcess([place, "worker \($0)"]) })
  }

  deinit { workers.withLock { for worker in $0 { worker.kill() } } }

  func send(_ transfer: TortureTransfer, client: Int) async -> TortureAnswer? {
    guard let worker = workers.withLock({ $0.randomElement() }) else { return nil }
    let text = await worker.ask("\(transfer.key) \(transfer.from) \(transfer.to) \(transfer.amount)")
    let words = (text ?? "").split(separator: " ").map(String.init)
    switch words.first {
    case "booked" where words.count == 2: return .booked(words[1])
    case "refused": return .refused
    default: return nil
    }
  }

  func harm(_ chance: inout Chance) async throws -> String {
    if Bool.random(using: &chance), let done = try await otherHarm() { return done }
    let count = workers.withLock { $0.count }
    let number = Int.random(in: 0..<count, using: &chance)
    workers.withLock { $0[number] }.kill()
    let successor = try WorkerProcess([place, "worker \(number)"])
    workers.withLock { $0[number] = successor }
    return "kill -9"
  }
}
