import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyLedger
import Testing

extension StoreContract {
  static let challenges = [
    StoreContract("a challenge is taken once, as it was given out") { place in
      try await place.withStore { store in
        for purpose: ChallengePurpose in [.login, .attestation, .renewal, .enrollment, .service("meter1")] {
          var sample = ChallengeRecord.sample()
          sample.purpose = purpose
          if purpose == .login { sample.content = nil }
          let challenge = sample
          try await store.write { try $0.addChallenge(challenge) }
          expect(try await store.write { try $0.takeChallenge(challenge.id, now: 99) } == challenge)
          expect(try await store.write { try $0.takeChallenge(challenge.id, now: 99) } == nil)
        }
        expect(try await store.write { try $0.takeChallenge(.random(), now: 0) } == nil)
      }
    },
    StoreContract("a challenge that has ended is nobody's") { place in
      try await place.withStore { store in
        let challenge = ChallengeRecord.sample(expires: 100)
        try await store.write { try $0.addChallenge(challenge) }
        expect(try await store.write { try $0.takeChallenge(challenge.id, now: 100) } == nil)
        expect(try await store.write { try $0.takeChallenge(challenge.id, now: 0) } == nil)
      }
    },
    StoreContract("of many who take one challenge at once, one gets it") { place in
      try await place.withStore { store in
        let challenge = ChallengeRecord.sample()
        try await store.write { try $0.addChallenge(challenge) }
        let taken = try await atOnce { _ in try await store.write { try $0.takeChallenge(challenge.id, now: 1) } }
        expect(taken.compactMap { $0 } == [challenge])
      }
    },
    StoreContract("a challenge that was taken by a body that throws is still there") { place in
      try await place.withStore { store in
        let challenge = ChallengeRecord.sample()
        try await store.write { try $0.addChallenge(challenge) }
        await expect(throws: Refusal()) {
          try await store.write {
            _ = try $0.takeChallenge(challenge.id, now: 1)
            throw Refusal()
          }
        }
        expect(try await store.write { try $0.takeChallenge(challenge.id, now: 1) } == challenge)
      }
    },
  ]

  static let nonces = [
    StoreContract("a nonce is claimed once by a device; another device has its own") { place in
      try await place.withStore { store in
        let (device, other, nonce) = (Identifier.random(), Identifier.random(), bytes(16))
        expect(try await store.write { try $0.claimNonce(Nonce(nonce), device: device, expires: 100) })
        expect(try await !store.write { try $0.claimNonce(Nonce(nonce), device: device, expires: 200) })
        expect(try await store.write { try $0.claimNonce(Nonce(nonce), device: other, expires: 100) })
        expect(try await store.write { try $0.claimNonce(Nonce(nonce.dropLast()), device: device, expires: 100) })
        expect(try await store.write { try $0.claimNonce(Nonce([UInt8]()), device: device, expires: 100) })
        expect(try await !store.write { try $0.claimNonce(Nonce([UInt8]()), device: device, expires: 100) })
      }
    },
    StoreContract("of many who claim one nonce at once, one does") { place in
      try await place.withStore { store in
        let (device, nonce) = (Identifier.random(), bytes(16))
        let claims = try await atOnce { _ in
          try await store.write { try $0.claimNonce(Nonce(nonce), device: device, expires: 100) }
        }
        expect(claims.filter { $0 }.count == 1)
      }
    },
    StoreContract("a nonce that was claimed by a body that throws is free") { place in
      try await place.withStore { store in
        let (device, nonce) = (Identifier.random(), bytes(16))
        await expect(throws: Refusal()) {
          try await store.write {
            _ = try $0.claimNonce(Nonce(nonce), device: device, expires: 100)
            throw Refusal()
          }
        }
        expect(try await store.write { try $0.claimNonce(Nonce(nonce), device: device, expires: 100) })
      }
    },
  ]

  static let answers = [
    StoreContract("the first answer to a key stays") { place in
      try await place.withStore { store in
        let (first, second) = (StoredAnswer.sample(), StoredAnswer.sample(409))
        expect(try await store.read { try $0.answer(to: "key", scope: "a") } == nil)
        expect(try await store.write { try $0.addAnswer(first, to: "key", scope: "a") })
        expect(try await !store.write { try $0.addAnswer(second, to: "key", scope: "a") })
        expect(try await store.read { try $0.answer(to: "key", scope: "a") } == first)
      }
    },
    StoreContract("the same key in another scope is another, and nothing runs together") { place in
      try await place.withStore { store in
        let answers = (0..<3).map { StoredAnswer.sample(200 + $0) }
        let places = [("ab", "c"), ("a", "bc"), ("c", "ab")]
        for (answer, (key, scope)) in zip(answers, places) {
          expect(try await store.write { try $0.addAnswer(answer, to: key, scope: scope) })
        }
        for (answer, (key, scope)) in zip(answers, places) {
          expect(try await store.read { try $0.answer(to: key, scope: scope) } == answer)
        }
        expect(try await store.read { try $0.answer(to: "abc", scope: "") } == nil)
      }
    },
    StoreContract("an answer may be empty, or large") { place in
      try await place.withStore { store in
        for count in [0, 1, 100_000] {
          let answer = StoredAnswer(digest: RequestDigest(bytes(32)), status: 204, body: bytes(count), expires: .max)
          expect(try await store.write { try $0.addAnswer(answer, to: "\(count)", scope: "a") })
          expect(try await store.read { try $0.answer(to: "\(count)", scope: "a") } == answer)
        }
      }
    },
    StoreContract("of many who do the same request at once, one does it and all say the same") { place in
      try await place.withStore { store in
        try await store.openAccounts()
        let reported = try await atOnce { number in
          try await store.write { transaction in
            if let answer = try transaction.answer(to: "key", scope: "a") { return answer }
            _ = try transaction.book(.sample(from: checking, to: savings, 10))
            let answer = StoredAnswer(digest: RequestDigest([1]), status: 201, body: [UInt8(number)], expires: 100)
            guard try transaction.addAnswer(answer, to: "key", scope: "a") else { throw Refusal() }
            return answer
          }
        }
        expect(Set(reported).count == 1)
        expect(try await store.balance(checking) == 99_990)
      }
    },
  ]

  static let forgetting = [
    StoreContract("what has ended is forgotten, so many of each at a time") { place in
      try await place.withStore { store in
        let (device, nonces) = (Identifier.random(), (0..<10).map { _ in bytes(16) })
        let challenges = (0..<10).map { ChallengeRecord.sample(expires: 100 + Int64($0)) }
        let tokens = (0..<10).map { TokenRecord(hash: bytes(32), user: "ann", device: nil, expires: 100 + Int64($0)) }
        try await store.write { transaction in
          _ = try transaction.addUser(.ann)
          for number in 0..<10 {
            try transaction.addToken(tokens[number])
            try transaction.addChallenge(challenges[number])
            _ = try transaction.claimNonce(Nonce(nonces[number]), device: device, expires: 100 + Int64(number))
            _ = try transaction.addAnswer(.sample(expires: 100 + Int64(number)), to: "\(number)", scope: "a")
          }
        }
        // Those with ends from 100 to 107 have ended: eight of each.
        var counts: [Int] = []
        for _ in 0..<4 { counts.append(try await store.write { try $0.forgetEnded(now: 107, limit: 3) }) }
        expect(counts == [12, 12, 8, 0])
        for number in 0..<10 {
          let (answer, token) = try await store.read {
            (try $0.answer(to: "\(number)", scope: "a"), try $0.token(hash: tokens[number].hash, now: 0))
          }
          expect((answer != nil) == (number >= 8))
          expect((token != nil) == (number >= 8))
          let isFree = try await store.write {
            try $0.claimNonce(Nonce(nonces[number]), device: device, expires: 100 + Int64(number))
          }
          expect(isFree == (number < 8))
          let challenge = try await store.write { try $0.takeChallenge(challenges[number].id, now: 0) }
          expect((challenge != nil) == (number >= 8))
        }
      }
    },
    StoreContract("nothing is forgotten where nothing has ended, or nothing may be") { place in
      try await place.withStore { store in
        try await store.write { try $0.addChallenge(.sample(expires: 100)) }
        expect(try await store.write { try $0.forgetEnded(now: 99, limit: 10) } == 0)
        expect(try await store.write { try $0.forgetEnded(now: 100, limit: 0) } == 0)
        expect(try await store.write { try $0.forgetEnded(now: 100, limit: -1) } == 0)
        expect(try await store.write { try $0.forgetEnded(now: .max, limit: .max) } == 1)
      }
    },
  ]
}
