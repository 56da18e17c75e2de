import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import Testing

extension StoreContract {
  private static func order(_ id: UInt8, token: UInt8 = 1, account: UInt8 = 4, expires: Int64 = 100) -> ACMEOrderRecord
  {
    ACMEOrderRecord(
      id: [id], account: [account], token: [token], identifier: [9], profile: id == 1 ? "p" : nil, challenge: [7],
      expires: expires)
  }

  static let acme = [
    StoreContract("an order's challenge is answered once, of many at once, and its signing request stays the first") {
      place in
      try await place.withStore { store in
        try await store.write {
          try $0.addACMEOrder(order(1))
          try $0.addACMEOrder(order(2))
        }
        expect(try await store.read { try $0.acmeOrder([1], now: 99) } == order(1))
        let answers = try await atOnce(8) { number in
          try await store.write {
            try $0.answerACMEChallenge(
              [1], .attested(key: [UInt8(number)], evidence: "apple", identifiers: ["C02", "0-1"]), at: 5)
              ? number : nil
          }
        }.compactMap { $0 }
        expect(answers.count == 1)
        expect(try await store.write { try $0.answerACMEChallenge([2], .refused, at: 6) })
        expect(
          try await store.write { try $0.answerACMEChallenge([2], .attested(key: [4], evidence: "tpm"), at: 7) }
            == false)
        expect(try await store.write { try $0.answerACMEChallenge([3], .refused, at: 6) } == false)
        try await store.write { try $0.finalizeACMEOrder([1], signingRequest: [1, 2], expires: 200) }
        try await store.write { try $0.finalizeACMEOrder([1], signingRequest: [3], expires: 900) }
        var wanted = order(1, expires: 200)
        (wanted.outcome, wanted.answered) = (
          answers.first.map { .attested(key: [UInt8($0)], evidence: "apple", identifiers: ["C02", "0-1"]) }, 5
        )
        wanted.signingRequest = [1, 2]
        expect(try await store.read { try $0.acmeOrder([1], now: 199) } == wanted)
        expect(try await store.read { try $0.acmeOrder([2], now: 5)?.outcome } == .refused)
      }
    },
    StoreContract("orders count by token and account until they end, and are forgotten then") { place in
      try await place.withStore { store in
        try await store.write {
          try $0.addACMEOrder(order(1))
          try $0.addACMEOrder(order(2, account: 5, expires: 50))
          try $0.addACMEOrder(order(3, token: 2))
        }
        expect(try await store.read { try $0.countACMEOrders(ofToken: [1], now: 49) } == 2)
        expect(try await store.read { try $0.countACMEOrders(ofToken: [1], now: 50) } == 1)
        expect(try await store.read { try $0.countACMEOrders(ofAccount: [4], now: 49) } == 2)
        expect(try await store.read { try $0.countACMEOrders(ofAccount: [6], now: 49) } == 0)
        expect(try await store.read { try $0.acmeOrder([2], now: 50) } == nil)
        expect(try await store.write { try $0.forgetEnded(now: 50, limit: 10) } == 1)
        expect(try await store.write { try $0.forgetEnded(now: 100, limit: 1) } == 1)
        expect(try await store.write { try $0.forgetEnded(now: 100, limit: 10) } == 1)
      }
    },
    StoreContract("a device is an account's if one of its finalized orders has the token that registered it") { place in
      try await place.withStore { store in
        let token = EnrollmentTokenRecord(
          id: .random(), hash: [1], user: "ann", deviceName: nil, profile: "p", created: 1, expires: 100)
        let device = Identifier.random()
        _ = try await store.write { try $0.addUser(UserRecord(name: "ann", passwordHash: nil)) }
        try await store.write {
          try $0.addEnrollmentToken(token)
          try $0.addACMEOrder(order(1))
          try $0.addACMEOrder(order(2, account: 5))
          try $0.finalizeACMEOrder([1], signingRequest: [1], expires: 100)
        }
        expect(try await store.read { try $0.isDevice(device, ofACMEAccount: [4], now: 5) } == false)
        let use = EnrollmentTokenRecord.Use(time: 5, request: "r", device: device)
        expect(try await store.write { try $0.useEnrollmentToken(hash: [1], by: use) })
        expect(try await store.read { try $0.isDevice(device, ofACMEAccount: [4], now: 5) })
        expect(try await store.read { try $0.isDevice(.random(), ofACMEAccount: [4], now: 5) } == false)
        expect(try await store.read { try $0.isDevice(device, ofACMEAccount: [5], now: 5) } == false)
        expect(try await store.read { try $0.isDevice(device, ofACMEAccount: [4], now: 100) } == false)
      }
    },
  ]
}
