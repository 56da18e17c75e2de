internal import Foundation
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import SwiftASN1
internal import Synchronization
internal import X509

/// Whether requests can be served now: the store accepts writes, and neither the server's certificate nor its authority's has
/// expired.
///
/// The probe is public, and each check of the store costs a commit, so a result is valid for a second and shared by all
/// callers.
package final class Readiness: Sendable {
  private let store: any EnrollmentStore
  /// The setting to which this server writes; separate per server, so that servers do not block one another.
  private let setting: String
  private let trouble: Trouble
  /// The time limit of a write.
  private static let patience = Duration.seconds(2)
  private let sleep: @Sendable (Duration) async throws -> Void
  private let ends: Mutex<Date>
  private let state = Mutex(State())

  private struct State {
    /// The last result, and the time of its check.
    var verdict: (isWriting: Bool, asked: Date)?
    /// The number of the write in progress.
    var question: Int?
    /// Whether that write has exceeded its limit.
    var isLate = false
    var questions = 0
    var waiting: [CheckedContinuation<Bool, Never>] = []

    /// The result that is known without waiting.
    func known(at now: Date) -> Bool? {
      if isLate { return false }
      guard let verdict, verdict.asked <= now, now < verdict.asked.addingTimeInterval(1) else { return nil }
      return verdict.isWriting
    }
  }

  init(
    store: any EnrollmentStore, node: String, trouble: Trouble, certificates: [[UInt8]],
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.sleep = sleep
    self.store = store
    self.trouble = trouble
    setting = "readiness.\(node)"
    ends = Mutex(Self.firstEnd(of: certificates))
  }

  /// Records that the certificates were replaced.
  func note(certificates: [[UInt8]]) { ends.withLock { $0 = Self.firstEnd(of: certificates) } }

  /// The problem that prevents serving; nil if there is none.
  func obstacle(now: Date) async -> Problem? {
    guard ends.withLock({ $0 }) > now else {
      return Problem(.unavailable, detail: "a certificate of the server has ended: renew it and reload")
    }
    guard await storeWrites(now: now) else {
      return Problem(.unavailable, detail: "the store takes no writes: the log says why")
    }
    return nil
  }

  /// Whether a row can be written. A read would not do: it succeeds on a full disk.
  private func storeWrites(now: Date) async -> Bool {
    await withCheckedContinuation { caller in
      let (known, begun): (Bool?, Int?) = state.withLock { state in
        if let known = state.known(at: now) { return (known, nil) }
        state.waiting.append(caller)
        guard state.question == nil else { return (nil, nil) }
        state.questions += 1
        state.question = state.questions
        return (nil, state.questions)
      }
      if let known { caller.resume(returning: known) }
      if let begun { ask(begun, now: now) }
    }
  }

  /// Writes the row. There is only one write at a time to a store that hangs, and no caller waits for it longer than the limit.
  private func ask(_ question: Int, now: Date) {
    let limit = Task {
      do { try await sleep(Self.patience) } catch { return }
      let isLate = answer(question, false) { $0.isLate = true }
      if isLate { trouble.note(EnrollmentStoreError.unavailable("a write has not returned for \(Self.patience)")) }
    }
    Task {
      let isWriting: Bool
      do {
        try await store.write { [setting] in try $0.setSetting(setting, to: [1]) }
        isWriting = true
      } catch {
        trouble.note(error)
        isWriting = false
      }
      limit.cancel()
      answer(question, isWriting) { state in
        state.verdict = (isWriting, now)
        (state.question, state.isLate) = (nil, false)
      }
    }
  }

  /// Resumes all callers that wait for the question under way.
  @discardableResult
  private func answer(_ question: Int, _ isWriting: Bool, _ change: (inout State) -> Void) -> Bool {
    let waiting: [CheckedContinuation<Bool, Never>]? = state.withLock { state in
      guard state.question == question else { return nil }
      change(&state)
      defer { state.waiting = [] }
      return state.waiting
    }
    for caller in waiting ?? [] { caller.resume(returning: isWriting) }
    return waiting != nil
  }

  private static func firstEnd(of certificates: [[UInt8]]) -> Date {
    certificates.compactMap { try? Certificate(derEncoded: $0).notValidAfter }.min() ?? .distantPast
  }
}
