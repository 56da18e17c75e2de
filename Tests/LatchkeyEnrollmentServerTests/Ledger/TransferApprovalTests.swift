import LatchkeyTestSupport
import Crypto
import Foundation
import LatchkeyAttestation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeySealedMessages
import Testing

@testable import LatchkeyEnrollmentServer
@testable import LatchkeyLedger

@Suite("Approvals of transfers, decided in their transaction")
struct TransferApprovalTests {
  @Test("An approval of one date is none of another, and none of no date")
  func approvedDate() async throws {
    let bank = try await TransferBank()
    for other in [nil, 86_401] as [Int64?] {
      let asked = try await bank.run(bank.ceremony(threshold: 1) { $0.date = 86_400 })
      let challenge = try #require(TransferBank.refusal(asked)?.challenge)
      var approved = Transfer(
        from: TransferBank.mine, to: TransferBank.other, amount: Amount(minorUnits: 2323), currency: "EUR")
      approved.date = 86_400
      let approval = try bank.approval(challenge, approved)
      let altered = try await bank.run(bank.ceremony(approval: approval, threshold: 1) { $0.date = other })
      #expect(TransferBank.refusal(altered)?.code != nil)
    }
    #expect(try await bank.balance() == 100_000)
    let challenge = try #require(
      TransferBank.refusal(try await bank.run(bank.ceremony(threshold: 1) { $0.date = 86_400 }))?.challenge)
    var transfer = Transfer(
      from: TransferBank.mine, to: TransferBank.other, amount: Amount(minorUnits: 2323), currency: "EUR")
    transfer.date = 86_400
    let approval = try bank.approval(challenge, transfer)
    guard
      case .decided(201, _) = try await bank.run(bank.ceremony(approval: approval, threshold: 1) { $0.date = 86_400 })
    else {
      Issue.record("not booked")
      return
    }
  }

  @Test("Small transfers need an approval once they are more than a day's sum, and nothing goes beyond the day's most")
  func sums() async throws {
    let bank = try await TransferBank()
    var sums = LedgerPolicy()
    sums.dailyUnapprovedSum = AmountsByCurrency(5_000)
    sums.dailySum = AmountsByCurrency(60_000)
    let policy = sums
    for number in 0..<2 {
      guard case .decided(201, _) = try await bank.run(bank.ceremony(key: "small-0123456789-\(number)", ledger: policy))
      else {
        Issue.record("not booked: \(number)")
        return
      }
    }
    let third = try bank.ceremony(key: "small-0123456789-3", ledger: policy)
    let challenge = try #require(TransferBank.refusal(try await bank.run(third))?.challenge)
    let approval = try bank.approval(challenge, third.transfer)
    let approved = try bank.ceremony(key: "small-0123456789-3", approval: approval, ledger: policy)
    guard case .decided(201, _) = try await bank.run(approved) else {
      Issue.record("not booked with an approval")
      return
    }
    // An approved transfer does not count as small.
    let tooMuch = try bank.ceremony(key: "large-0123456789", ledger: policy) { $0.amount = Amount(minorUnits: 60_000) }
    guard case .decided(403, let body) = try await bank.run(tooMuch) else {
      Issue.record("more than the day's most")
      return
    }
    #expect(try JSONDecoder().decode(Problem.self, from: Data(body)).code == .notPermitted)
    #expect(try await bank.balance() == 100_000 - 3 * 2323)
    // The hours go on: a day later all is free again, for the certificate's life here is not looked at.
    let spent = try await bank.store.read { try $0.spending(of: TransferBank.mine, now: 100 + 24 * 3600) }
    #expect(spent == Spending(approved: 2323, unapproved: 2 * 2323))
    #expect(try await bank.store.read { try $0.spending(of: TransferBank.mine, now: 100 + 25 * 3600) }.unapproved == 0)
  }

  @Test("A new approval key does not count before its time, and no key of before has to wait")
  func coolDown() async throws {
    let bank = try await TransferBank()
    let large: (inout Transfer) -> Void = { $0.amount = Amount(minorUnits: 60_000) }
    var waiting = ServerPolicy()
    waiting.approvalCoolDown = 60
    let policy = waiting
    // No approval is asked for that would not count, and the refusal is not stored under the key.
    let early = try bank.ceremony(key: "other-0123456789", now: 109, policy: policy, large)
    let refused = TransferBank.refusal(try await bank.run(early))
    #expect(refused?.code == .notPermitted && refused?.challenge == nil)
    let again = try bank.ceremony(key: "other-0123456789", now: 110, policy: policy, large)
    let second = try #require(TransferBank.refusal(try await bank.run(again))?.challenge)
    let late = try bank.ceremony(
      key: "other-0123456789", approval: bank.approval(second, again.transfer), now: 110, policy: policy, large)
    guard case .decided(201, _) = try await bank.run(late) else {
      Issue.record("a key that is old enough did not approve")
      return
    }
  }

  @Test("An approval key of before, which is not attested as the policy wants, approves nothing")
  func unattested() async throws {
    let bank = try await TransferBank()
    var demanding = ServerPolicy()
    demanding.attestationPolicy = AttestationPolicy()
    let asked = try bank.ceremony(policy: demanding) { $0.amount = Amount(minorUnits: 60_000) }
    let refused = TransferBank.refusal(try await bank.run(asked))
    #expect(refused?.code == .notPermitted && refused?.challenge == nil)
    #expect(try await bank.balance() == 100_000)
  }

  @Test("A large transfer needs the approval key's signature over just this transfer, in time, once")
  func approvals() async throws {
    let bank = try await TransferBank()
    let large: (inout Transfer) -> Void = { $0.amount = Amount(minorUnits: 60_000) }
    let asked = try bank.ceremony(large)
    let challenge = try #require(TransferBank.refusal(try await bank.run(asked))?.challenge)
    #expect(challenge.expiresIn == 60)

    let stranger = try bank.approval(challenge, asked.transfer, key: P256.Signing.PrivateKey())
    let wrongKey = TransferBank.refusal(try await bank.run(bank.ceremony(approval: stranger, large)))
    #expect(wrongKey?.code == .approvalRequired)
    // A wrong signature used the challenge up: the right one comes too late for it.
    let late = try bank.approval(challenge, asked.transfer)
    let next = try #require(TransferBank.refusal(try await bank.run(bank.ceremony(approval: late, large)))?.challenge)

    var smaller = asked.transfer
    smaller.to = TransferBank.foreign
    let otherContent = try bank.approval(next, smaller)
    let third = try #require(
      TransferBank.refusal(try await bank.run(bank.ceremony(approval: otherContent, large)))?.challenge)

    let right = try bank.approval(third, asked.transfer)
    let tooLate = TransferBank.refusal(try await bank.run(bank.ceremony(approval: right, now: 161, large)))
    let fourth = try #require(tooLate?.challenge)
    #expect(try await bank.balance() == 100_000)

    let inTime = try bank.approval(fourth, asked.transfer)
    guard case .decided(201, _) = try await bank.run(bank.ceremony(approval: inTime, now: 170, large)) else {
      Issue.record("not booked")
      return
    }
    // The same approval for a second transfer of the same content.
    let second = try await bank.run(bank.ceremony(key: "another-key-0123456789", approval: inTime, now: 171, large))
    #expect(TransferBank.refusal(second)?.code == .approvalRequired)
    #expect(try await bank.balance() == 40_000)
  }

  @Test("Without an approval key a large transfer is not permitted at all")
  func noApprovalKey() async throws {
    let bank = try await TransferBank(approves: false)
    let outcome = try await bank.run(bank.ceremony { $0.amount = Amount(minorUnits: 60_000) })
    #expect(TransferBank.refusal(outcome)?.code == .notPermitted)
  }
}
