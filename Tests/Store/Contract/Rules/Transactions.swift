import Dispatch
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyLedger
import Testing

extension StoreContract {
  static let transactions = [
    StoreContract("what a body throws reaches its caller, and what it did is undone") { place in
      try await place.withStore { store in
        try await store.openAccounts()
        await expect(throws: Refusal(number: 7)) {
          try await store.write { transaction in
            _ = try transaction.addUser(.ben)
            _ = try transaction.book(.sample(from: checking, to: savings, 10))
            try transaction.setSetting("a", to: [1])
            throw Refusal(number: 7)
          }
        }
        expect(try await store.read { try $0.user(named: "ben") } == nil)
        expect(try await store.read { try $0.setting("a") } == nil)
        expect(try await store.balance(checking) == 100_000)
        try await expectBalanced(store)
      }
    },
    StoreContract("a body sees what it did, and so does everybody once it has returned") { place in
      try await place.withStore { store in
        try await store.openAccounts()
        let seen = try await store.write { transaction in
          _ = try transaction.book(.sample(from: checking, to: savings, 10))
          return try transaction.account(checking)?.balance
        }
        expect(seen == 99_990)
        expect(try await store.balance(checking) == 99_990)
      }
    },
    StoreContract("a statement that fails undoes its body, even where the body goes on") { place in
      try await place.withStore { store in
        let device = DeviceRecord.sample()
        await expectMisuse("a device of nobody") {
          try await store.write { transaction in
            _ = try transaction.addUser(.ben)
            try? transaction.addDevice(device)
          }
        }
        expect(try await store.read { try $0.user(named: "ben") } == nil)
        // The connection is as good as before.
        expect(try await store.write { try $0.addUser(.ben) })
      }
    },
    StoreContract("a begun statement that fails undoes its body, even where nobody takes its result") { place in
      try await place.withStore { store in
        let nonce = "a".utf8.map { $0 }
        await expectMisuse("a device of nobody") {
          try await store.write { transaction in
            _ = try transaction.addUser(.ben)
            try transaction.beginChange(
              "INSERT INTO devices (id, user_name, name, created, identity_key) VALUES ($1, $2, $3, $4, $5)",
              [.init(.random()), .text("nobody"), .text(""), .integer(1), .bytes([4])])
          }
        }
        expect(try await store.read { try $0.user(named: "ben") } == nil)
        let claimed = try await store.write { transaction in
          let first = try transaction.beginClaim(of: Nonce(nonce), device: .random(), expires: 100)
          let added = try transaction.addUser(.ben)
          return try (first.take(), first.take(), added)
        }
        expect(claimed == (true, true, true))
      }
    },
    StoreContract("what was begun before a body throws is undone with it") { place in
      try await place.withStore { store in
        let (nonce, device) = ("a".utf8.map { $0 }, Identifier.random())
        await expect(throws: Refusal(number: 8)) {
          try await store.write { transaction in
            try transaction.beginChange("DELETE FROM nonces WHERE expires < $1", [.integer(0)])
            _ = try transaction.beginClaim(of: Nonce(nonce), device: device, expires: 100)
            throw Refusal(number: 8)
          }
        }
        expect(try await store.write { try $0.claimNonce(Nonce(nonce), device: device, expires: 100) })
      }
    },
    StoreContract("what throws before any statement is no failed statement: the body may go on") { place in
      try await place.withStore { store in
        let added = try await store.write { transaction in
          _ = try? transaction.addUser(UserRecord(name: "", passwordHash: nil))
          return try transaction.addUser(.ben)
        }
        expect(added)
        expect(try await store.read { try $0.user(named: "ben") } == .ben)
      }
    },
    StoreContract("a read changes nothing") { place in
      try await place.withStore { store in
        try await store.openAccounts()
        let challenge = ChallengeRecord.sample()
        try await store.write { try $0.addChallenge(challenge) }
        await expectMisuse("a user in a read") { _ = try await store.read { try $0.addUser(.ben) } }
        await expectMisuse("a booking in a read") {
          _ = try await store.read { try $0.book(.sample(from: checking, to: savings, 10)) }
        }
        await expectMisuse("a challenge in a read") {
          _ = try await store.read { try $0.takeChallenge(challenge.id, now: 1) }
        }
        await expectMisuse("an audit in a read") {
          try await store.read { try $0.audit(AuditEntry(event: "a", time: 1)) }
        }
        expect(try await store.read { try $0.user(named: "ben") } == nil)
        expect(try await store.write { try $0.takeChallenge(challenge.id, now: 1) } == challenge)
        expect(try await store.balance(checking) == 100_000)
      }
    },
    StoreContract("what a read's body throws reaches its caller, and the next read is as good") { place in
      try await place.withStore { store in
        await expect(throws: Refusal(number: 1)) { try await store.read { _ in throw Refusal(number: 1) } }
        expect(try await store.read { try $0.revocationEpoch() } == 0)
      }
    },
    StoreContract("a read sees one moment, whatever is written meanwhile") { place in
      try await place.withStore { store in
        try await store.openAccounts()
        let (hasRead, hasWritten) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
        async let balances = store.read { transaction in
          let before = try transaction.account(checking)?.balance
          hasRead.continuation.finish()
          expect(hasWritten.wait(timeout: .now() + 60) == .success)
          return [before, try transaction.account(checking)?.balance]
        }
        for await _ in hasRead.stream {}
        _ = try await store.write { try $0.book(.sample(from: checking, to: savings, 10)) }
        expect(try await store.balance(checking) == 99_990)
        hasWritten.signal()
        expect(try await balances == [100_000, 100_000])
      }
    },
    StoreContract("two servers see what the other wrote, and decide together what counts once") { place in
      let (one, other) = (
        try await place.openBank(node: "one"), try await place.openBank(node: "other")
      )
      try await one.openAccounts([checking: 320, savings: 0])
      expect(try await other.balance(checking) == 320)
      let (device, nonces) = (Identifier.random(), (0..<16).map { _ in bytes(16) })
      let claims = try await atOnce { number in
        try await (number % 2 == 0 ? one : other).write { transaction in
          guard try transaction.claimNonce(Nonce(nonces[number / 4]), device: device, expires: 100) else {
            return false
          }
          try transaction.audit(AuditEntry(event: "transfer.booked", time: 1))
          return try transaction.book(.sample(from: checking, to: savings, 20)) != .insufficientFunds
        }
      }
      expect(claims.filter { $0 }.count == 16)
      expect(try await other.balance(checking) == 0)
      try await expectBalanced(one)
      try await expectWholeChains(other, entries: 16)
      await one.close()
      await other.close()
    },
    StoreContract("a store that was closed refuses, and may be closed again") { place in
      let store = try await place.openBank(node: "node")
      _ = try await store.write { try $0.addUser(.ann) }
      await store.close()
      await expect(throws: EnrollmentStoreError.closed) { _ = try await store.write { try $0.addUser(.ben) } }
      await expect(throws: EnrollmentStoreError.closed) { _ = try await store.read { try $0.user(named: "ann") } }
      await store.close()
      try await place.withStore { again in
        expect(try await again.read { try $0.user(named: "ann") } == .ann)
        expect(try await again.read { try $0.user(named: "ben") } == nil)
      }
    },
  ]

  static let sharing = [
    StoreContract("of many writes at once, those that throw undo themselves and no other") { place in
      try await place.withStore { store in
        try await store.openAccounts()
        let reported = try await atOnce(96) { number -> Int? in
          do {
            return try await store.write { transaction in
              _ = try transaction.addUser(UserRecord(name: "user \(number)", passwordHash: nil))
              _ = try transaction.book(.sample(from: checking, to: savings, 1))
              try transaction.audit(AuditEntry(event: "transfer.booked", time: Int64(number)))
              if number % 3 == 1 { throw Refusal(number: number) }
              // The statement is refused by the database, and with it the body.
              if number % 3 == 2 { try transaction.addDevice(.sample("nobody")) }
              return number
            }
          } catch let refusal as Refusal {
            expect(refusal.number == number)
          } catch EnrollmentStoreError.misuse {
            expect(number % 3 == 2)
          }
          return nil
        }
        expect(Set(reported.compactMap { $0 }) == Set((0..<96).filter { $0 % 3 == 0 }))
        for number in 0..<96 {
          let isThere = try await store.read { try $0.user(named: "user \(number)") != nil }
          expect(isThere == (number % 3 == 0), "\(number)")
        }
        expect(try await store.balance(checking) == 100_000 - 32)
        try await expectBalanced(store)
        try await expectWholeChains(store, entries: 32)
      }
    },
    StoreContract("each of many writes at once gets what its own body gave") { place in
      try await place.withStore { store in
        let reported = try await atOnce(200) { number in
          try await store.write { transaction in
            try transaction.setSetting("\(number)", to: [UInt8(number)])
            return [number, Int(try transaction.setting("\(number)")?.first ?? 0)]
          }
        }
        expect(reported.allSatisfy { $0[0] == $0[1] })
        expect(Set(reported.map { $0[0] }).count == 200)
      }
    },
    StoreContract("a task that was canceled before it asked changes nothing, and nobody waits for ever") { place in
      try await place.withStore { store in
        let cancelled = Task {
          withUnsafeCurrentTask { $0?.cancel() }
          return try await store.write { try $0.addUser(.ann) }
        }
        switch await cancelled.result {
        case .success: Issue.record("a canceled write was done")
        case .failure(let error): expect(error is CancellationError)
        }
        expect(try await store.read { try $0.user(named: "ann") } == nil)
      }
    },
    StoreContract("tasks that are canceled at any time are told the truth") { place in
      try await place.withStore { store in
        let tasks = (0..<64).map { number in
          Task { try await store.write { try $0.addUser(UserRecord(name: "\(number)", passwordHash: nil)) } }
        }
        for (number, task) in tasks.enumerated() where number % 2 == 0 { task.cancel() }
        for (number, task) in tasks.enumerated() {
          let isToldSo = await task.result
          let isThere = try await store.read { try $0.user(named: "\(number)") != nil }
          switch isToldSo {
          case .success(let added): expect(added && isThere)
          case .failure(let error): expect(error is CancellationError && !isThere && number % 2 == 0)
          }
        }
      }
    },
  ]
}
