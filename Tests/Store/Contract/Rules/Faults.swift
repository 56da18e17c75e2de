import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyLedger
import Synchronization
import Testing

/// All that a transfer does, in the order in which the server does it.
private func transfer(
  _ booking: Booking, nonce: [UInt8], key: String, of device: Identifier, in transaction: any StoreTransaction
) throws -> StoredAnswer {
  guard let record = try transaction.device(device), record.revoked == nil else { throw Refusal(number: 1) }
  if let answer = try transaction.answer(to: key, scope: "ann") { return answer }
  guard try transaction.claimNonce(Nonce(nonce), device: device, expires: 100) else { throw Refusal(number: 2) }
  let result = try transaction.book(booking)
  try transaction.audit(AuditEntry(event: "transfer.booked", time: 1, fields: ["result": "\(result)"]))
  let answer = StoredAnswer(
    digest: RequestDigest(booking.id.bytes), status: 201, body: Array("\(result)".utf8), expires: 100)
  guard try transaction.addAnswer(answer, to: key, scope: "ann") else { throw Refusal(number: 3) }
  return answer
}

extension StoreContract {
  static let faults = [
    StoreContract("a conflict at any statement or at COMMIT runs the whole body again, and it counts once") { place in
      let plan = FaultPlan()
      try await place.withStore(faults: plan) { store in
        try await store.openAccounts()
        let device = DeviceRecord.sample()
        try await store.write { try $0.addDevice(device) }
        let book = { @Sendable (number: Int) async throws -> Int in
          let booking = Booking.sample(from: checking, to: savings, 10)
          let runs = Mutex(0)
          let (nonce, key) = (bytes(16), "key \(number)")
          let answer = try await store.write { transaction in
            runs.withLock { $0 += 1 }
            return try transfer(booking, nonce: nonce, key: key, of: device.id, in: transaction)
          }
          expect(answer.digest.bytes == booking.id.bytes)
          return runs.withLock { $0 }
        }
        plan.arm { _ in false }
        expect(try await book(0) == 1)
        let statements = plan.count
        expect(statements >= 9)
        for number in 1...statements {
          plan.arm { $0 == number }
          let runs = try await book(number)
          // BEGIN comes before the body; everything else, COMMIT too, in it or after it.
          expect(runs == (number == 1 ? 1 : 2), "statement \(number) of \(statements)")
        }
        for number in 1...statements {
          // Twice, and the second time further on.
          plan.arm { $0 == number || $0 == 2 * number + 1 }
          _ = try await book(statements + number)
        }
        expect(try await store.balance(checking) == 100_000 - 10 * Int64(1 + 2 * statements))
        try await expectBalanced(store)
        try await expectWholeChains(store, entries: Int64(1 + 2 * statements))
      }
    },
    StoreContract("a conflict among many writes runs all of them again, and each counts once") { place in
      let plan = FaultPlan()
      try await place.withStore(faults: plan) { store in
        try await store.openAccounts()
        let device = DeviceRecord.sample()
        try await store.write { try $0.addDevice(device) }
        for period in [2, 3, 5, 17, 40, 101] {
          // Every so many statements, fewer times than there are tries.
          plan.arm { $0 % period == 0 && $0 <= 6 * period }
          let before = try await store.balance(checking)
          let answers = try await atOnce(32) { number in
            let (booking, nonce) = (Booking.sample(from: checking, to: savings, 1), bytes(16))
            do {
              return try await store.write { transaction -> StoredAnswer? in
                let key = "\(period) \(number)"
                let answer = try transfer(booking, nonce: nonce, key: key, of: device.id, in: transaction)
                if number % 4 == 0 { throw Refusal() }
                return answer
              }
            } catch is Refusal {
              return nil
            }
          }
          expect(answers.compactMap { $0 }.count == 24)
          expect(try await store.balance(checking) == (before ?? 0) - 24)
          try await expectBalanced(store)
          try await expectWholeChains(store)
        }
      }
    },
    StoreContract("conflicts that do not end end as contention, and nothing was done") { place in
      let plan = FaultPlan()
      await (try await place.openBank(node: "node")).close()
      let store = try await place.openImpatient(node: "node", faults: plan)
      try await store.openAccounts()
      plan.arm { $0 % 4 == 0 }
      await expect(throws: EnrollmentStoreError.contention) {
        try await store.write { transaction in
          for number in 0..<5 { _ = try transaction.addUser(UserRecord(name: "\(number)", passwordHash: nil)) }
        }
      }
      plan.arm { _ in false }
      expect(try await store.read { try $0.user(named: "0") } == nil)
      expect(try await store.write { try $0.addUser(.ben) })
      await store.close()
    },
    StoreContract("a conflict that the body swallows is a conflict all the same") { place in
      let plan = FaultPlan()
      try await place.withStore(faults: plan) { store in
        let runs = Mutex(0)
        plan.arm { $0 == 2 }
        let added = try await store.write { transaction in
          runs.withLock { $0 += 1 }
          return (try? transaction.addUser(.ann)) ?? false
        }
        expect(added)
        expect(runs.withLock { $0 } == 2)
        expect(try await store.read { try $0.user(named: "ann") } == .ann)
      }
    },
    StoreContract("a revocation counts once, whichever statement meets a conflict") { place in
      let plan = FaultPlan()
      try await place.withStore(faults: plan) { store in
        _ = try await store.write { try $0.addUser(.ann) }
        for number in 1...8 {
          let device = DeviceRecord.sample()
          try await store.write {
            try $0.addDevice(device)
            try $0.addCertificate(.sample(of: device.id))
          }
          plan.arm { $0 == number }
          expect(try await store.write { try $0.revokeDevice(device.id, at: 5, reason: 1) })
          plan.arm { _ in false }
          expect(try await store.read { try $0.revocationEpoch() } == Int64(number))
        }
      }
    },
  ]
}
