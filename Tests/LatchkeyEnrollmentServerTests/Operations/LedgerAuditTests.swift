import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import Testing

@testable import LatchkeyEnrollmentServer
@testable import LatchkeyLedger

@Suite("The ledger, held against the audit log", .serialized)
struct LedgerAuditTests {
  private static let (first, second, house) = ("111111111111", "222222222222", "000000000001")
  private static let forged = "00112233445566778899aabbccddeeff"

  /// An attacker writes into the tables so that all sums are zero and every balance is the sum of its entries.
  private static let forgeries: [(statements: String, reported: String)] = [
    (
      """
      INSERT INTO ledger_transfers (id, booked, notes) VALUES (x'\(forged)', 1, 'x');
      INSERT INTO ledger_entries VALUES (x'\(forged)', '\(house)', 'EUR', -500), (x'\(forged)', '\(first)', 'EUR', 500);
      UPDATE ledger_accounts SET balance = balance + 500 WHERE number = '\(first)';
      UPDATE ledger_accounts SET balance = balance - 500 WHERE number = '\(house)'
      """, "\(forged)  is in no audit entry"
    ),
    (
      """
      UPDATE ledger_accounts SET balance = 0 WHERE number = '\(second)';
      UPDATE ledger_accounts SET balance = balance + 1000 WHERE number = '\(house)';
      DELETE FROM ledger_entries WHERE transfer = (SELECT transfer FROM ledger_entries WHERE account = '\(second)');
      DELETE FROM ledger_transfers WHERE id NOT IN (SELECT transfer FROM ledger_entries)
      """, "  is in the audit log alone"
    ),
    (
      """
      INSERT INTO ledger_entries VALUES (x'\(forged)', '\(first)', 'EUR', 7), (x'ff\(forged.dropFirst(2))', '\(second)', 'EUR', -7);
      UPDATE ledger_accounts SET balance = balance + 7 WHERE number = '\(first)';
      UPDATE ledger_accounts SET balance = balance - 7 WHERE number = '\(second)'
      """, "\(forged)  has entries, and the transfer"
    ),
    (
      """
      UPDATE ledger_entries SET amount = amount * 2 WHERE transfer = (SELECT transfer FROM ledger_entries WHERE account = '\(second)');
      UPDATE ledger_accounts SET balance = 2000 WHERE number = '\(second)';
      UPDATE ledger_accounts SET balance = balance - 1000 WHERE number = '\(house)'
      """, "  is not what its audit entry says"
    ),
    (
      """
      INSERT INTO users (name, failures) VALUES ('eve', 0);
      UPDATE ledger_accounts SET user_name = 'eve' WHERE number = '\(second)'
      """,
      "\(second)  is not what its audit entry says"
    ),
    (
      "UPDATE ledger_accounts SET overdraft = 5 WHERE number = '\(first)'", "\(first)  is not what its audit entry says"
    ),
    (
      "INSERT INTO ledger_accounts VALUES ('333333333333', 'ann', '', 'EUR', 0, 0)",
      "333333333333  is in no audit entry"
    ),
    ("DELETE FROM ledger_accounts WHERE number = '\(second)'", "\(second)  is in the audit log alone"),
    (
      "DELETE FROM ledger_accounts WHERE number = '\(second)'",
      "  has entries, and the transfer or an account of theirs is not there"
    ),
    (
      "UPDATE ledger_accounts SET currency = 'USD' WHERE number = '\(first)'",
      "\(first)  is not what its audit entry says"
    ),
    (
      """
      UPDATE ledger_entries SET amount = amount + 1 WHERE account = '\(second)';
      UPDATE ledger_accounts SET balance = balance + 1 WHERE number = '\(second)'
      """, "  has other entries than two that add up to zero"
    ),
    (
      "UPDATE ledger_entries SET currency = 'USD' WHERE account = '\(house)' AND \(opening)",
      "  has other entries than two that add up to zero"
    ),
    // A deposit from the house account becomes a user's payment, or a device's request.
    (
      """
      UPDATE ledger_entries SET account = '\(second)' WHERE account = '\(house)' AND \(opening);
      UPDATE ledger_accounts SET balance = balance - 1000 WHERE number = '\(second)';
      UPDATE ledger_accounts SET balance = balance + 1000 WHERE number = '\(house)'
      """, "  is not what its audit entry says"
    ),
    (
      "UPDATE ledger_transfers SET device = zeroblob(16) WHERE id IN (SELECT transfer FROM ledger_entries WHERE account = '\(first)')",
      "  is not what its audit entry says"
    ),
    (
      "UPDATE ledger_transfers SET value_date = 0 WHERE id IN (SELECT transfer FROM ledger_entries WHERE account = '\(first)')",
      "  is not what its audit entry says"
    ),
  ]
  private static let opening = "transfer IN (SELECT transfer FROM ledger_entries WHERE account = '\(first)')"

  @Test("A consistent forgery in the tables is found", .needs("python3"), arguments: 0..<15)
  func found(_ number: Int) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-ledger-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    func run(_ words: [String], input: String = "") async throws -> ForeignProgram {
      try await ServedProgram.run(words + ["--state", folder.path], input: input)
    }
    #expect(try await run(["user", "add", "ann", "--password", "-"], input: "long enough\n").status == 0)
    for number in [Self.first, Self.second] {
      // In chains of two servers.
      let words = ["account", "open", "ann", "Cash", "EUR", "10.00", "--number", number, "--node", number]
      #expect(try await run(words).status == 0)
    }
    let whole = try await run(["ledger", "verify"])
    #expect(whole.status == 0 && whole.output == "EUR  adds up\n", "\(whole.output)")
    let forgery = Self.forgeries[number]
    let database = folder.appending(path: "server.db").path
    try await ServedProgram.forge(database, forgery.statements)
    let found = try await run(["ledger", "verify"])
    #expect(found.status == 1)
    #expect(found.output.contains(forgery.reported), "\(found.output)")
    let json = try await run(["ledger", "verify", "--json"])
    #expect(json.output.contains(#","reason":""#) && !json.output.contains(#""event":"done""#))
  }

  @Test(
    "A database from before transfers had dates comes forward, and its ledger and audit log are whole",
    .needs("python3"))
  func broughtForward() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-ledger-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    func run(_ words: String..., input: String = "") async throws -> ForeignProgram {
      try await ServedProgram.run(words + ["--state", folder.path], input: input)
    }
    #expect(try await run("user", "add", "ann", "--password", "-", input: "long enough\n").status == 0)
    #expect(try await run("account", "open", "ann", "Cash", "EUR", "10.00", "--number", Self.first).status == 0)
    let database = folder.appending(path: "server.db").path
    try await ServedProgram.forge(
      database,
      """
      ALTER TABLE ledger_accounts RENAME TO accounts;
      ALTER TABLE ledger_transfers RENAME TO transfers;
      ALTER TABLE ledger_entries RENAME TO entries;
      ALTER TABLE ledger_spending RENAME TO spending;
      DROP INDEX ledger_accounts_of_user; DROP INDEX ledger_accounts_of_house; DROP INDEX ledger_spending_by_hour;
      CREATE INDEX accounts_of_user ON accounts (user_name);
      CREATE UNIQUE INDEX accounts_of_house ON accounts (currency) WHERE user_name IS NULL;
      CREATE INDEX spending_by_hour ON spending (hour);
      DROP TABLE service_versions;
      ALTER TABLE transfers DROP COLUMN value_date;
      ALTER TABLE devices DROP COLUMN profile;
      DROP INDEX devices_revoked; ALTER TABLE devices DROP COLUMN name_approval;
      DROP TABLE profiles; DROP TABLE enrollment_tokens; DROP TABLE pending_devices; DROP TABLE administrators;
      DROP INDEX tokens_of_user; DROP INDEX certificates_by_end; DROP TABLE audit_prunings; DROP TABLE requested_names;
      DROP TABLE acme_orders; DROP TABLE limit_reports;
      DROP INDEX users_disabled; DROP INDEX users_locked; DROP INDEX devices_revoked_by_id;
      DROP INDEX certificates_revoked_by_fingerprint;
      ALTER TABLE users DROP COLUMN disabled;
      ALTER TABLE certificates DROP COLUMN issuer;
      DELETE FROM schema_version WHERE version >= 5;
      """)
    // Brings it forward, and books on.
    #expect(try await run("account", "open", "ann", "Cash", "EUR", "20.00", "--number", Self.second).status == 0)
    let ledger = try await run("ledger", "verify")
    #expect(ledger.status == 0 && ledger.output == "EUR  adds up\n", "\(ledger.output)")
    #expect(try await run("audit", "verify").status == 0)
  }

  /// A transfer between two new accounts, which is booked and in the audit log as often as asked.
  private func report(
    booked: Int64? = 23, audited: [String], device: Identifier? = .random(), reported: Identifier? = nil,
    date: Int64? = nil, statedDate: String? = nil, opening: [String: String] = [:], prunedBefore: Int64? = nil
  ) async throws -> [LedgerReport.Fault] {
    let bench = try CeremonyBench()
    try await bench.user()
    try await LedgerService().makeTables(in: bench.store)
    let (id, opened) = (Identifier.random(), Identifier.random())
    try await bench.store.write { store in
      let house = try store.houseAccount(currency: "EUR")
      for number in [Self.first, Self.second] {
        _ = try store.addAccount(AccountRecord(number: number, user: "demo", name: "", currency: "EUR", balance: 0))
        let paid = number == Self.first ? "1.00" : "0.00"
        var fields = ["account": number, "user": "demo", "currency": "EUR", "amount": paid]
        if number == Self.first { fields.merge(opening) { $1 } }
        try store.audit(AuditEntry(event: "account.opened", time: 1, fields: fields))
      }
      _ = try store.book(
        Booking(
          id: opened, from: house.number, to: Self.first, amount: 100, currency: "EUR", notes: "Opening", booked: 1,
          device: nil))
      if let booked {
        _ = try store.book(
          Booking(
            id: id, from: Self.first, to: Self.second, amount: booked, currency: "EUR", notes: "", booked: 2,
            valueDate: date, device: device))
      }
      for amount in audited {
        var fields = [
          "transfer": id.description, "device": (reported ?? device)?.description ?? "", "from": Self.first,
          "to": Self.second,
          "amount": amount, "currency": "EUR",
        ]
        fields["date"] = statedDate
        try store.audit(AuditEntry(event: "transfer.booked", time: 2, fields: fields))
      }
      if let prunedBefore {
        // The two accounts' entries.
        let last = try store.auditEntries(node: "test", after: 1, limit: 1)[0]
        let head = AuditHead(node: "test", sequence: 2, hash: last.hash)
        _ = try store.pruneAudit(AuditPruning(upTo: head, before: prunedBefore, at: 9) { _ in [] })
      }
    }
    let (all, paged) = try await bench.store.read {
      (try LedgerAudit.report(of: $0), try LedgerAudit.report(of: $0, page: 1))
    }
    #expect(all == paged)
    return all.faults.map { $0.transfer == id ? $0.of(.init(bytes: [UInt8](repeating: 0, count: 16))) : $0 }
  }

  private let nobody = Identifier(bytes: [UInt8](repeating: 0, count: 16))

  @Test("A transfer is in one audit entry that says the same, also where entries of openings do not name theirs")
  func transfers() async throws {
    let id = try #require(nobody)
    #expect(try await report(audited: ["0.23"]) == [])
    #expect(try await report(audited: ["0.23"], device: nil) == [])
    #expect(try await report(audited: []) == [.unknownTransfer(id)])
    #expect(try await report(audited: ["0.24"]) == [.alteredTransfer(id)])
    #expect(try await report(audited: ["0.23"], reported: .random()) == [.alteredTransfer(id)])
    #expect(try await report(audited: ["0.23"], device: nil, reported: .random()) == [.alteredTransfer(id)])
    #expect(try await report(audited: ["much"]).contains(.alteredTransfer(id)))
    #expect(try await report(audited: ["0.23"], date: 86_400, statedDate: "86400") == [])
    for (date, reported) in [(86_400, nil), (nil, "86400"), (86_400, "86401"), (86_400, "a day")] as [(Int64?, String?)]
    {
      #expect(try await report(audited: ["0.23"], date: date, statedDate: reported) == [.alteredTransfer(id)])
    }
    #expect(try await report(audited: ["0.23", "0.23"]) == [.repeatedTransfer(id)])
    #expect(try await report(booked: nil, audited: ["0.23"]) == [.missingTransfer(id)])
    #expect(try await report(audited: ["0.23"], opening: ["amount": "2.00"]).contains(.alteredAccount(Self.first)))
    #expect(try await report(audited: ["0.23"], opening: ["transfer": Self.forged]).contains { $0.transfer != nil })
  }

  @Test("What was booked before the audit log was pruned needs no entry, and what was booked since does")
  func pruned() async throws {
    let id = try #require(nobody)
    // The transfer is of time 2, the accounts and the deposit of time 1.
    for (before, faults) in [(Int64(2), [LedgerReport.Fault.unknownTransfer(id)]), (3, [])] {
      #expect(try await report(audited: [], prunedBefore: before) == faults)
      #expect(try await report(audited: ["0.24"], prunedBefore: before) == [.alteredTransfer(id)])
    }
  }
}

extension LedgerReport.Fault {
  /// The same of another transfer.
  fileprivate func of(_ id: Identifier?) -> LedgerReport.Fault {
    guard let id else { return self }
    return switch self {
    case .unknownTransfer: .unknownTransfer(id)
    case .alteredTransfer: .alteredTransfer(id)
    case .repeatedTransfer: .repeatedTransfer(id)
    case .missingTransfer: .missingTransfer(id)
    case .unbalanced: .unbalanced(id)
    case .stray: .stray(id)
    default: self
    }
  }
}
