internal import EnrollmentProtocol
internal import EnrollmentStore
internal import Foundation
internal import SwiftASN1
internal import Synchronization
internal import X509

/// Whether requests can be served now: the store answers, and neither the server's certificate nor its authority's has ended.
package final class Readiness: Sendable {
  private let store: any EnrollmentStore
  private let ends: Mutex<Date>
  private let asked = Mutex<Task<Bool, Never>?>(nil)

  init(store: any EnrollmentStore, certificates: [[UInt8]]) {
    self.store = store
    ends = Mutex(Self.firstEnd(of: certificates))
  }

  /// The certificates are others now.
  func note(certificates: [[UInt8]]) { ends.withLock { $0 = Self.firstEnd(of: certificates) } }

  /// What keeps the server from serving; nil if nothing does.
  func obstacle(now: Date) async -> Problem? {
    guard ends.withLock({ $0 }) > now else {
      return Problem(.unavailable, detail: "a certificate of the server has ended: renew it and reload")
    }
    guard await storeAnswers() else { return Problem(.unavailable, detail: "the store does not answer") }
    return nil
  }

  /// Asks the store once, however many ask at a time: a store that hangs gets no more than one question.
  private func storeAnswers() async -> Bool {
    let question = asked.withLock { asked in
      if let asked { return asked }
      let new = Task { [store] in
        let answered = (try? await store.read { try $0.revocationEpoch() }) != nil
        self.asked.withLock { $0 = nil }
        return answered
      }
      asked = new
      return new
    }
    return await withTaskGroup { group in
      group.addTask { await question.value }
      group.addTask {
        try? await Task.sleep(for: .seconds(2))
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }

  private static func firstEnd(of certificates: [[UInt8]]) -> Date {
    certificates.compactMap { try? Certificate(derEncoded: $0).notValidAfter }.min() ?? .distantPast
  }
}
