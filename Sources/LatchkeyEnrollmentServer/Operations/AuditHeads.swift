internal import Foundation
internal import LatchkeyCertificateAuthority
internal import LatchkeyEnrollmentStore
internal import Logging
internal import Synchronization

/// Periodically records the ends of all audit chains: in this server's own chain, and, signed, in a file outside the database.
/// A deleted chain is thus detected, and so is a deleted log.
///
/// A file that records more than the database contains is never overwritten: it is the proof.
final class AuditHeads: Sendable {
  private let services: Services
  /// The ends recorded last; nothing is recorded again without new entries.
  private let last = Mutex<[AuditHead]>([])

  init(services: Services) { self.services = services }

  /// Records the ends if any chain has grown: in the file, and also in this server's chain if others' new entries are more than
  /// records of ends. Otherwise idle servers would record each other's records forever.
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

  /// Whether the database contains everything that the file records.
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
    let signers = AuditSigners.keys([services.configuration.answerKey.publicKey])
    let faults = try await checkpoint.faults(in: services.store, signers: signers)
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
