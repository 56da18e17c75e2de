import Crypto
import Foundation
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore
import Testing

/// A server's answer key.
private struct PruningKey: Sendable {
  private let key = P256.Signing.PrivateKey()
  var signers: AuditSigners { .keys([Array(key.publicKey.x963Representation)]) }

  func sign(_ message: [UInt8]) throws -> [UInt8] { Array(try key.signature(for: message).derRepresentation) }
}

/// Writes entries with the times 1, 2, … in one body, so in one chain, and gives its name.
private func write(_ count: Int64, into store: any EnrollmentStore) async throws -> String {
  let event = "e \(UUID().uuidString)"
  try await store.write { store in
    for number in 1...count { try store.audit(AuditEntry(event: event, time: number, fields: ["n": "\(number)"])) }
  }
  return try await store.read { store in
    for node in try store.auditNodes() {
      guard let first = try store.firstAuditEntry(node: node) else { continue }
      let entries = try store.auditEntries(node: node, after: first - 1, limit: 1000)
      if entries.contains(where: { $0.entry.event == event }) { return node }
    }
    return ""
  }
}

/// Prunes all entries from before a time, as an operator at time 1000.
private func prune(
  _ store: any EnrollmentStore, before: Int64, _ key: PruningKey
) async throws -> [Operator.PrunableEntries] {
  let operating = Operator(store, clock: { Date(timeIntervalSince1970: 1000) })
  let parts = try await operating.prunableAudit(before: before, signers: key.signers)
  for part in parts {
    let count = try await operating.pruneAudit(part, before: before, signedBy: key.sign)
    expect(count == part.count)
  }
  return parts
}

private func report(_ store: any EnrollmentStore, _ node: String, _ key: PruningKey) async throws -> AuditChain.Report?
{
  try await AuditChain.verify(store, page: 3, signers: key.signers).first { $0.node == node }
}

extension StoreContract {
  static let auditPruning = [
    StoreContract("pruned entries are gone, and what is left verifies from the signed pruning on") { place in
      try await place.withStore { store in
        let key = PruningKey()
        let node = try await write(10, into: store)
        let parts = try await prune(store, before: 5, key)
        expect(parts.map(\.count) == [4] && parts.map(\.end.sequence) == [4])
        let found = try await report(store, node, key)
        expect(found?.pruned == 4 && found?.fault == nil, "\(String(describing: found))")
        let kept = try await store.read { try $0.auditEntries(node: node, after: 0, limit: 99) }
        expect(kept.prefix(6).map(\.sequence) == [5, 6, 7, 8, 9, 10])
        // Who has pruned, and how much, is an entry itself.
        let all = try await store.read { store in
          try store.auditNodes().flatMap { try store.auditEntries(node: $0, after: 0, limit: 99) }
        }
        let noted = all.filter { $0.entry.event == "audit.pruned" }.map(\.entry.fields)
        expect(
          noted == [["chain": node, "entry": "4", "entries": "4", "before": "5", "by": "operator"]], "\(noted)")
        let pruning = try await store.read { try $0.auditPruning(node: node) }
        expect(pruning?.head.hash == kept.first?.previous && pruning?.time == 1000 && pruning?.before == 5)
        // Without the key, and with another one, nobody has signed that.
        for signers in [AuditSigners.keys([]), PruningKey().signers] {
          let reports = try await AuditChain.verify(store, signers: signers)
          expect(reports.first { $0.node == node }?.fault == .unsignedPruning(4))
        }
      }
    },
    StoreContract("a chain is pruned again, and to its end, and goes on from there") { place in
      try await place.withStore(node: "one") { store in
        let key = PruningKey()
        let node = try await write(6, into: store)
        _ = try await prune(store, before: 3, key)
        expect(try await prune(store, before: 3, key) == [])
        let second = try await prune(store, before: 500, key)
        expect(second.first { $0.end.node == node }.map { $0.start.sequence == 2 && $0.count == 4 } ?? false)
        expect(try await report(store, node, key)?.pruned == 6)
      }
      // After the next opening, too; on a database with several connections one of them has the chain.
      try await place.withStore(node: "one") { store in
        _ = try await atOnce(64) { number in
          try await store.write { try $0.audit(AuditEntry(event: "later", time: 2000 + Int64(number))) }
        }
        let nodes = try await store.read { try $0.auditPrunings().map(\.head.node) }
        let unsigned = try await AuditChain.verify(store).filter { $0.fault != nil }
        expect(unsigned.map(\.node) == nodes)
        expect(try await AuditChain.verify(store, signers: .anyone).allSatisfy { $0.fault == nil })
        // The chain did not begin anew: where it goes on, it does behind what was pruned.
        for node in nodes {
          let entries = try await store.read { try $0.auditEntries(node: node, after: 0, limit: 1) }
          let pruning = try await store.read { try $0.auditPruning(node: node) }
          expect(entries.first.map { $0.previous == pruning?.head.hash && $0.sequence == 7 } ?? true)
        }
      }
    },
    StoreContract("two prune at once while others write, and each entry is deleted once") { place in
      try await place.withStore(node: "one") { one in
        try await place.withStore(node: "two") { two in
          let key = PruningKey()
          for store in [one, two] { _ = try await write(40, into: store) }
          let counts = try await atOnce(8) { number -> Int64 in
            let store = number % 2 == 0 ? one : two
            guard number < 4 else {
              for time in 0..<10 {
                try await store.write { try $0.audit(AuditEntry(event: "later", time: 500 + Int64(time))) }
              }
              return 0
            }
            let operating = Operator(store, clock: { Date(timeIntervalSince1970: 1000) })
            var count: Int64 = 0
            for before in [Int64(10), 25, 41] {
              for part in try await operating.prunableAudit(before: before, signers: key.signers) {
                count += try await operating.pruneAudit(part, before: before, signedBy: key.sign)
              }
            }
            return count
          }
          expect(counts.reduce(0, +) == 80, "\(counts)")
          let reports = try await AuditChain.verify(two, page: 7, signers: key.signers)
          expect(reports.allSatisfy { $0.fault == nil }, "\(reports)")
          expect(reports.filter { $0.pruned == 40 }.count == 2, "\(reports)")
        }
      }
    },
    StoreContract("a pruning up to what the chain has not, or over a gap, changes nothing") { place in
      try await place.withStore { store in
        let key = PruningKey()
        let node = try await write(4, into: store)
        let entries = try await store.read { try $0.auditEntries(node: node, after: 0, limit: 9) }
        for (sequence, hash) in [(Int64(2), entries[2].hash), (9, entries[3].hash), (1, [])] {
          let head = AuditHead(node: node, sequence: sequence, hash: hash)
          let pruning = try AuditPruning(upTo: head, before: 9, at: 9, by: key.sign)
          await expectMisuse("entry \(sequence)") { _ = try await store.write { try $0.pruneAudit(pruning) } }
        }
        let head = AuditHead(node: "nobody", sequence: 1, hash: entries[0].hash)
        let pruning = try AuditPruning(upTo: head, before: 9, at: 9, by: key.sign)
        await expectMisuse("another chain") { _ = try await store.write { try $0.pruneAudit(pruning) } }
        await expectMisuse("a read") { _ = try await store.read { try $0.pruneAudit(pruning) } }
        expect(try await store.read { try $0.auditPrunings() } == [])
        expect(try await report(store, node, key) == AuditChain.Report(node: node, entries: 4))
        // One that is undone leaves the entries.
        let whole = AuditHead(node: node, sequence: 4, hash: entries[3].hash)
        let undone = try AuditPruning(upTo: whole, before: 9, at: 9, by: key.sign)
        await expect(throws: Refusal()) {
          try await store.write { store in
            expect(try store.pruneAudit(undone) == 4)
            throw Refusal()
          }
        }
        expect(try await report(store, node, key) == AuditChain.Report(node: node, entries: 4))
      }
    },
    StoreContract("an export of the pruned entries joins on to what is left, and another one does not") { place in
      try await place.withStore { store in
        let key = PruningKey()
        let node = try await write(8, into: store)
        let lines = try await store.read {
          try $0.auditEntries(node: node, after: 0, limit: 99).map { Array(AuditExport.line($0).utf8) }
        }
        _ = try await prune(store, before: 6, key)
        let marks = try await store.read { try $0.auditPrunings().map(\.head) }
        func fault(_ range: Range<Int>) async throws -> AuditChain.Fault? {
          var verifier = AuditExportVerifier(marks: marks)
          for line in lines[range] { try verifier.take(line: line) }
          return try await verifier.parts[0].fault(in: store, hasMetPruning: verifier.hasMet(markOf: node))
        }
        for range in [0..<5, 0..<8, 3..<5, 3..<7, 5..<8, 6..<7] { expect(try await fault(range) == nil, "\(range)") }
        expect(try await fault(0..<4) == .missing(5))
        // Of a chain that was written anew.
        let other = PruningKey()
        try await store.write { store in
          let forged = AuditHead(
            node: node, sequence: 6, hash: try store.auditEntries(node: node, after: 5, limit: 1)[0].hash)
          expect(try store.pruneAudit(try AuditPruning(upTo: forged, before: 9, at: 9, by: other.sign)) == 1)
        }
        expect(try await fault(0..<5) == .missing(6))
        expect(try await report(store, node, key)?.fault == .unsignedPruning(6))
      }
    },
  ]
}
