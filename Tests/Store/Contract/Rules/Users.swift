import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import Testing

extension StoreContract {
  static let users = [
    StoreContract("a user of a name is there once, as the first said") { place in
      try await place.withStore { store in
        expect(try await store.write { try $0.addUser(.ann) })
        var other = UserRecord.ann
        other.passwordHash = "another"
        let second = other
        expect(try await !store.write { try $0.addUser(second) })
        expect(try await store.read { try $0.user(named: "ann") } == .ann)
      }
    },
    StoreContract("nobody is found by another name") { place in
      try await place.withStore { store in
        expect(try await store.write { try $0.addUser(.ann) })
        for name in ["Ann", "ANN", "ann ", "", "an", "ann\u{0301}", "' OR 1=1 --", "%"] as [UserName] {
          expect(try await store.read { try $0.user(named: name) } == nil, "\(name)")
        }
      }
    },
    StoreContract("a name is 1 to 128 characters of any kind") { place in
      try await place.withStore { store in
        for name in ["", UserName(stored: String(repeating: "a", count: 129))] {
          await expectMisuse("a name of \(name.text.count)") {
            _ = try await store.write { try $0.addUser(UserRecord(name: name, passwordHash: nil)) }
          }
        }
        for name in ["a", UserName(stored: String(repeating: "é", count: 128)), "O'Brien", "名前", "👩‍👩‍👧‍👦"] {
          expect(try await store.write { try $0.addUser(UserRecord(name: name, passwordHash: nil)) }, "\(name)")
          expect(try await store.read { try $0.user(named: name)?.name } == name)
        }
      }
    },
    StoreContract("failures, lock and password change, and can be taken back") { place in
      try await place.withStore { store in
        _ = try await store.write { try $0.addUser(.ann) }
        let locked = UserRecord(name: "ann", passwordHash: nil, failures: 5, lockedUntil: .max)
        for changed in [locked, .ann] {
          try await store.write { try $0.updateUser(changed) }
          expect(try await store.read { try $0.user(named: "ann") } == changed)
        }
      }
    },
    StoreContract("places of logins are each user's own: the 32 seen last, for half a year, until they are forgotten") {
      place in
      try await place.withStore { store in
        let (old, other) = (bytes(32), bytes(32))
        let places = (0..<32).map { _ in bytes(32) }
        try await store.write { transaction in
          _ = try transaction.addUser(.ann)
          _ = try transaction.addUser(.ben)
          try transaction.noteLoginPlace(old, of: "ann", now: 1)
          try transaction.noteLoginPlace(other, of: "ben", now: 1)
        }
        expect(try await store.read { try $0.isLoginPlace(old, of: "ann") })
        expect(try await store.read { try !$0.isLoginPlace(old, of: "ben") && !$0.isLoginPlace(bytes(32), of: "ann") })
        try await store.write { transaction in
          for (number, place) in places.enumerated() {
            try transaction.noteLoginPlace(place, of: "ann", now: 2 + Int64(number))
          }
        }
        expect(try await store.read { try !$0.isLoginPlace(old, of: "ann") && $0.isLoginPlace(other, of: "ben") })
        expect(try await store.read { store in try places.allSatisfy { try store.isLoginPlace($0, of: "ann") } })
        // A place that is seen again a day later is among the last ones.
        let next = bytes(32)
        try await store.write { transaction in
          try transaction.noteLoginPlace(places[0], of: "ann", now: 90_000)
          try transaction.noteLoginPlace(next, of: "ann", now: 90_001)
        }
        expect(try await store.read { try $0.isLoginPlace(places[0], of: "ann") && $0.isLoginPlace(next, of: "ann") })
        expect(try await store.read { try !$0.isLoginPlace(places[1], of: "ann") })
        let halfYear: Int64 = 183 * 86_400
        expect(try await store.write { try $0.forgetEnded(now: halfYear, limit: 9) } == 0)
        expect(try await store.write { try $0.forgetEnded(now: halfYear + 1, limit: 9) } == 1)
        expect(try await store.read { try !$0.isLoginPlace(other, of: "ben") && $0.isLoginPlace(next, of: "ann") })
        try await store.write { try $0.forgetLoginPlaces(of: "ann") }
        expect(try await store.read { try !$0.isLoginPlace(next, of: "ann") })
        await expectMisuse("nobody's place") {
          try await store.write { try $0.noteLoginPlace(old, of: "nobody", now: 1) }
        }
      }
    },
    StoreContract("nobody cannot be changed") { place in
      try await place.withStore { store in
        await expectMisuse("a user who is not there") { try await store.write { try $0.updateUser(.ann) } }
        expect(try await store.read { try $0.user(named: "ann") } == nil)
      }
    },
    StoreContract("of many who count one failure each at once, none is lost") { place in
      try await place.withStore { store in
        _ = try await store.write { try $0.addUser(.ann) }
        _ = try await atOnce { _ in
          try await store.write { transaction in
            guard var user = try transaction.user(named: "ann") else { throw Refusal() }
            user.failures += 1
            try transaction.updateUser(user)
          }
        }
        expect(try await store.read { try $0.user(named: "ann")?.failures } == 64)
      }
    },
  ]

  static let tokens = [
    StoreContract("a token counts until its end, and no second longer") { place in
      try await place.withStore { store in
        let device = DeviceRecord.sample()
        let free = TokenRecord(hash: bytes(32), user: "ann", device: nil, expires: 100)
        let bound = TokenRecord(hash: bytes(32), user: "ann", device: device.id, expires: 100, hasRegistered: true)
        try await store.write {
          _ = try $0.addUser(.ann)
          try $0.addToken(free)
          try $0.addToken(bound)
        }
        for token in [free, bound] {
          expect(try await store.read { try $0.token(hash: token.hash, now: 99) } == token)
          expect(try await store.read { try $0.token(hash: token.hash, now: 100) } == nil)
        }
        expect(try await store.read { try $0.token(hash: bytes(32), now: 0) } == nil)
        expect(try await store.read { try $0.token(hash: [], now: 0) } == nil)
      }
    },
    StoreContract("all sessions of a user end, and nobody else's") { place in
      try await place.withStore { store in
        let owners: [UserName] = ["ann", "ann", "bob"]
        let tokens = owners.map { TokenRecord(hash: bytes(32), user: $0, device: nil, expires: 100) }
        try await store.write {
          for user in [UserName("ann"), "bob"] { _ = try $0.addUser(UserRecord(name: user, passwordHash: nil)) }
          for token in tokens { try $0.addToken(token) }
        }
        expect(try await store.write { try $0.forgetTokens(of: "ann") } == 2)
        for (number, token) in tokens.enumerated() {
          expect((try await store.read { try $0.token(hash: token.hash, now: 0) } != nil) == (number == 2))
        }
        expect(try await store.write { try $0.forgetTokens(of: "ann") } == 0)
      }
    },
    StoreContract("a token is somebody's, and there once") { place in
      try await place.withStore { store in
        let token = TokenRecord(hash: bytes(32), user: "ann", device: nil, expires: 100)
        await expectMisuse("a token of nobody") { try await store.write { try $0.addToken(token) } }
        expect(try await store.read { try $0.token(hash: token.hash, now: 0) } == nil)
        try await store.write {
          _ = try $0.addUser(.ann)
          try $0.addToken(token)
        }
        let twin = TokenRecord(hash: token.hash, user: "ann", device: nil, expires: 1000)
        await expectMisuse("a token of the same hash") { try await store.write { try $0.addToken(twin) } }
        expect(try await store.read { try $0.token(hash: token.hash, now: 100) } == nil)
      }
    },
    StoreContract("a token registers one device, of however many that ask at once") { place in
      try await place.withStore { store in
        let token = TokenRecord(hash: bytes(32), user: "ann", device: nil, expires: 100)
        try await store.write {
          _ = try $0.addUser(.ann)
          try $0.addToken(token)
        }
        let claims = try await atOnce { _ in try await store.write { try $0.claimRegistration(token: token.hash) } }
        expect(claims.filter { $0 }.count == 1)
        expect(try await store.read { try $0.token(hash: token.hash, now: 0)?.hasRegistered } == true)
        expect(try await !store.write { try $0.claimRegistration(token: bytes(32)) })
      }
    },
  ]
}
