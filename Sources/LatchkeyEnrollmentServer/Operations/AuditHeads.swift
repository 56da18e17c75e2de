internal import Foundation
internal import LatchkeyCertificateAuthority
internal import LatchkeyEnrollmentStore
internal import Logging
internal import Synchronization

/// Notes the ends of all audit chains from time to time: in this server's own chain, and, signed, in a file outside of the database.
/// So a chain that is taken away is missed, and so is the whole log.
///
/// A file that knows more than the database has is left as it is: it is the proof.
final class AuditHeads: Sendable {
  private let services: Services
  /// What was noted last: where nothing has happened since, nothing is noted.
  private let last = Mutex<[AuditHead]>([])

  init(services: Services) { self.services = services }

  /// Notes the ends, if any chain has gone on: in the file, and where others' chains say more than the ends of chains, in this
  /// server's, too. So servers that have nothing to do do not note each other's notes for ever.
  func note() async throws {
    let (node, now) = (services.configuration.node, services.now)
    let last = last.withLock { $0 }
    let (found, hasNews) = try await services.store.read { store in
      let found = try store.auditHeads()
      return (
        found, try Self.others(than: node, in: found).contains { try AuditMention.hasNews($0, since: last, in: store) }
      )
    }
    guard !found.isEmpty || services.configuration.auditHeadsFile != nil, found != last else { return }
    guard try await isWhole() else { return }
    let heads =
      !hasNews
      ? found
      : try await services.store.write { store in
        for entry in AuditMention.entries(of: Self.others(than: node, in: try store.auditHeads()), at: now) {
          try store.audit(entry)
        }
        return try store.auditHeads()
      }
    if let file = services.configuration.auditHeadsFile {
      let checkpoint = try AuditCheckpoint(time: now, heads: heads).signed(by: services.configuration.answerKey.sign)
      try Data(checkpoint.text.utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
    }
    self.last.withLock { $0 = heads }
  }

  private static func others(than node: String, in heads: [AuditHead]) -> [AuditHead] {
    heads.filter { !$0.node.utf8.elementsEqual(node.utf8) }
  }

  /// Whether the database has all that the file knows of.
  private func isWhole() async throws -> Bool {
    guard let file = services.configuration.auditHeadsFile, let text = FileManager.default.contents(atPath: file) else {
      return true
    }
    let checkpoint = try AuditCheckpoint(text: Array(text))
    guard checkpoint.isSigned(by: services.configuration.answerKey.publicKey) else {
      services.logger.error(
        "\(file) is not signed by this server's answer key, and is not written: if the key was changed, move that file away"
      )
      return false
    }
    let faults = try await checkpoint.faults(in: services.store)
    guard !faults.isEmpty else { return true }
    let list = faults.map { "\($0.node): \($0.fault.map { "\($0)" } ?? "")" }.joined(separator: "; ")
    services.logger.error(
      """
      the audit log has lost what \(file) knows of: run latchkey-server audit verify; if this is another store than before, \
      move that file away
      """, metadata: ["chains": "\(list)"])
    return false
  }
}
