import Foundation
import LatchkeyEnrollmentStore
import Synchronization

/// Servers that may end at any moment.
protocol TortureServers: Sendable {
  /// Asks one of them; nil if no answer came, or one that says to ask again.
  func send(_ transfer: TortureTransfer, client: Int) async -> TortureAnswer?
  /// Does some harm, and says what.
  func harm(_ chance: inout Chance) async throws -> String
}

/// Clients that want each of their transfers made, and send each three times at once, while harm is done.
struct TransferTorture: Sendable {
  var clients = 8
  var copies = 3
  /// Between one harm and the next, in milliseconds.
  var harmEvery: ClosedRange<Int> = 100...600
  /// How much harm is done at most.
  var harmLimit = Int.max
  /// How long one transfer may take until it is answered.
  var patience: Duration = .seconds(600)

  /// The counts of the run.
  struct Report: Sendable {
    var answers: [TortureTransfer: TortureAnswer] = [:]
    var sent = 0
    var unanswered = 0
    var harm: [String: Int] = [:]
    var seconds = 0.0

    var summary: String {
      let booked = answers.values.count { $0 != .refused }
      let harms = harm.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }.joined(separator: ", ")
      return "\(answers.count) transfers, \(booked) booked, \(answers.count - booked) refused; sent \(sent) times, "
        + "\(unanswered) without an answer; \(harms.isEmpty ? "no harm" : harms); \(String(format: "%.1f", seconds)) s"
    }
  }

  private final class Tally: Sendable {
    let report = Mutex(Report())
  }

  /// Makes the transfers.
  func run(_ transfers: [TortureTransfer], on servers: any TortureServers, seed: UInt64) async throws -> Report {
    let tally = Tally()
    let begin = ContinuousClock.now
    let harm = Task {
      var chance = Chance(seed: seed)
      for _ in 0..<harmLimit {
        try await Task.sleep(for: .milliseconds(Int.random(in: harmEvery, using: &chance)))
        let done = try await servers.harm(&chance)
        tally.report.withLock { $0.harm[done, default: 0] += 1 }
      }
    }
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for client in 0..<clients {
          group.addTask {
            for transfer in transfers where transfer.number % clients == client {
              let answer = try await demand(transfer, of: servers, client: client) { isAnswered in
                tally.report.withLock { report in
                  report.sent += 1
                  report.unanswered += isAnswered ? 0 : 1
                }
              }
              tally.report.withLock { $0.answers[transfer] = answer }
            }
          }
        }
        try await group.waitForAll()
      }
    } catch {
      harm.cancel()
      throw error
    }
    harm.cancel()
    if case .failure(let error) = await harm.result, !(error is CancellationError) { throw error }
    // A client that asks afterwards for the same gets the same answer; a key counts for the device that made it.
    for (transfer, answer) in tally.report.withLock({ $0.answers }) {
      let again = try await insist(on: transfer, servers: servers, client: transfer.number % clients) { _ in }
      guard again == answer else { throw TortureFailure("\(transfer.key): first \(answer), afterwards \(again)") }
    }
    let elapsed = ContinuousClock.now - begin
    return tally.report.withLock { report in
      report.seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
      return report
    }
  }

  /// Sends all copies at once, each until it is answered; all answers must be one.
  private func demand(
    _ transfer: TortureTransfer, of servers: any TortureServers, client: Int,
    count: @escaping @Sendable (Bool) -> Void
  ) async throws -> TortureAnswer {
    let answers = try await withThrowingTaskGroup(of: TortureAnswer.self) { group in
      for _ in 0..<copies {
        group.addTask { try await insist(on: transfer, servers: servers, client: client, count: count) }
      }
      return try await group.reduce(into: Set<TortureAnswer>()) { $0.insert($1) }
    }
    guard let answer = answers.first, answers.count == 1 else {
      throw TortureFailure("\(transfer.key) was answered in different ways: \(answers)")
    }
    return answer
  }

  private func insist(
    on transfer: TortureTransfer, servers: any TortureServers, client: Int, count: @Sendable (Bool) -> Void
  ) async throws -> TortureAnswer {
    let end = ContinuousClock.now + patience
    var pause = 2
    while ContinuousClock.now < end {
      let answer = await servers.send(transfer, client: client)
      count(answer != nil)
      if let answer { return answer }
      try await Task.sleep(for: .milliseconds(Int.random(in: 1...pause)))
      pause = min(pause * 2, 200)
    }
    throw TortureFailure("\(transfer.key) was not answered within \(patience)")
  }
}

/// Why a torture ended early, or what was found wrong.
struct TortureFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
