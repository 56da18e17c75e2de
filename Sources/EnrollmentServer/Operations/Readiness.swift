internal import EnrollmentProtocol
internal import EnrollmentStore
internal import Foundation
internal import SwiftASN1
internal import Synchronization
internal import X509

/// Whether requests can be served now: the store takes writes, and neither the server's certificate nor its authority's has ended.
package final class Readiness: Sendable {
  private let store: any EnrollmentStore
  /// Where this server writes: no two servers wait for each other there.
  private let setting: String
  private let trouble: StoreTrouble
  private let ends: Mutex<Date>
  private let asked = Mutex<Task<Bool, Never>?>(nil)

  init(store: any EnrollmentStore, node: String, trouble: StoreTrouble, certificates: [[UInt8]]) {
    self.store = store
    self.trouble = trouble
    setting = "readiness.\(node)"
    ends = Mutex(Self.firstEnd(of: certificates))
  }

  /// The certificates are others now.
  func note(certificates: [[UInt8]]) { ends.withLock { $0 = Self.firstEnd(of: certificates) } }

  /// What keeps the server from serving; nil if nothing does.
  func obstacle(now: Date) async -> Problem? {
    guard ends.withLock({ $0 }) > now else {
      return Problem(.unavailable, detail: "a certificate of the server has ended: renew it and reload")
    }
    guard await storeWrites() else {
      return Problem(.unavailable, detail: "the store takes no writes: the log says why")
    }
    return nil
  }

  /// Writes a row, once however many ask at a time: a store that hangs gets no more than one question. Reading would not tell:
  /// from a full disk all can be read.
  private func storeWrites() async -> Bool {
    let question = asked.withLock { asked in
      if let asked { return asked }
      let new = Task { [store, setting, trouble] in
        defer { self.asked.withLock { $0 = nil } }
        do {
          try await store.write { try $0.setSetting(setting, to: [1]) }
          return true
        } catch {
          trouble.note(error)
          return false
        }
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
