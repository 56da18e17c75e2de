import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyLedger
import Testing

extension StoreContract {
  static let accounts = [
    StoreContract("an account of a number is there once, and opens with nothing in it") { place in
      try await place.withStore { store in
        _ = try await store.write { try $0.addUser(.ann) }
        let account = AccountRecord.sample(checking, overdraft: 500)
        expect(try await store.write { try $0.addAccount(account) })
        expect(try await !store.write { try $0.addAccount(.sample(checking, currency: "USD")) })
        expect(try await store.read { try $0.account(checking) } == account)
        expect(try await store.read { try $0.account(savings) } == nil)
      }
    },
    StoreContract("what is no account is refused") { place in
      try await place.withStore { store in
        _ = try await store.write { try $0.addUser(.ann) }
        var full = AccountRecord.sample(checking)
        full.balance = 1
        let refused = [
          .sample(""), .sample("12312345645"), .sample("1231234564567"), .sample("12312345645a"),
          .sample("１２３１２３４５６４５６"), .sample(checking, currency: ""), .sample(checking, currency: "EURO"),
          .sample(checking, overdraft: -1), .sample(checking, user: "nobody"), full,
        ]
        for account in refused {
          await expectMisuse("\(account)") { _ = try await store.write { try $0.addAccount(account) } }
        }
        expect(try await store.read { try $0.accounts(of: "ann") } == [])
      }
    },
    StoreContract("all accounts and transfers are read page by page, and stray entries there are none") { place in
      try await place.withStore { store in
        expect(try await store.read { try !$0.hasRecords() && !$0.hasDevices() })
        try await store.openAccounts()
        expect(try await store.read { try $0.hasRecords() && !$0.hasDevices() })
        try await store.write { try $0.addDevice(.sample()) }
        expect(try await store.read { try $0.hasDevices() })
        let pages = try await store.read { store in
          (
            try store.accounts(after: "", limit: 2).map(\.number),
            try store.accounts(after: checking, limit: 2).map(\.number),
            try store.accounts(after: savings, limit: 2).map(\.number)
          )
        }
        expect(pages == (["000000000001", checking], [savings], []))
        let (all, stray) = try await store.read {
          (try $0.transfers(after: nil, limit: 9), try $0.strayEntries(limit: 9))
        }
        expect(Set(all.map { $0.entries.map(\.amount) }) == [[-100_000, 100_000], [-500_000, 500_000]])
        expect(all.allSatisfy { $0.entries.first?.account == "000000000001" && $0.device != nil })
        expect(stray == [])
        let (first, rest, none, one, nobody) = try await store.read { store in
          (
            try store.transfers(after: nil, limit: 1), try store.transfers(after: all[0].id, limit: 1),
            try store.transfers(after: all[1].id, limit: 1), try store.transfer(all[1].id),
            try store.transfer(.random())
          )
        }
        expect(first + rest == all && none == [] && one == all[1] && nobody == nil)
      }
    },
    StoreContract("a user's accounts come by number, and nobody else's") { place in
      try await place.withStore { store in
        try await store.write {
          _ = try $0.addUser(.ann)
          _ = try $0.addUser(.ben)
          _ = try $0.addAccount(.sample(savings))
          _ = try $0.addAccount(.sample(checking))
          _ = try $0.addAccount(.sample("000000000099", user: "ben"))
        }
        expect(try await store.read { try $0.accounts(of: "ann").map(\.number) } == [checking, savings])
        expect(try await store.read { try $0.accounts(of: "nobody") } == [])
      }
    },
    StoreContract("the house has one account a currency, no matter who asks first") { place in
      try await place.withStore { store in
        let houses = try await atOnce(32) { number in
          try await store.write { try $0.houseAccount(currency: number % 2 == 0 ? "EUR" : "USD") }
        }
        expect(Set(houses).count == 2)
        expect(Set(houses.map(\.number)) == ["000000000001", "000000000002"])
        expect(houses.allSatisfy { $0.user.text.isEmpty && $0.balance == 0 && $0.overdraft == .max })
        expect(try await store.read { try $0.accounts(of: "").count } == 2)
      }
    },
  ]

  static let bookings = [
    StoreContract("a booking moves money from one account to the other") { place in
      try await place.withStore { store in
        try await store.openAccounts()
        let booked = try await store.write { try $0.book(.sample(from: checking, to: savings, 2500)) }
        expect(booked == .booked(balance: 97_500))
        expect(try await store.balance(checking) == 97_500)
        expect(try await store.balance(savings) == 502_500)
        try await expectBalanced(store)
      }
    },
    StoreContract("a booking keeps the date that it was given, whichever, and has none otherwise") { place in
      try await place.withStore { store in
        try await store.openAccounts()
        for date in [nil, 0, 86_400, -62_135_596_800, 253_402_300_799] as [Int64?] {
          let id = Identifier.random()
          let booking = Booking.sample(from: checking, to: savings, 1, id: id, valueDate: date)
          _ = try await store.write { try $0.book(booking) }
          let (one, all) = try await store.read { (try $0.transfer(id), try $0.transfers(after: nil, limit: 99)) }
          expect(one?.valueDate == date && one?.entries.map(\.amount) == [-1, 1])
          expect(all.first { $0.id == id } == one)
        }
      }
    },
    StoreContract("an account gives all that it has and may owe, and no unit more") { place in
      try await place.withStore { store in
        try await store.openAccounts([checking: 100, savings: 0])
        try await store.write { _ = try $0.addAccount(.sample("000000000777", overdraft: 50)) }
        expect(try await store.write { try $0.book(.sample(from: checking, to: savings, 101)) } == .insufficientFunds)
        expect(
          try await store.write { try $0.book(.sample(from: checking, to: savings, 100)) } == .booked(balance: 0))
        expect(try await store.write { try $0.book(.sample(from: checking, to: savings, 1)) } == .insufficientFunds)
        for (amount, result) in [(51, BookingResult.insufficientFunds), (50, .booked(balance: -50))] {
          let found = try await store.write { try $0.book(.sample(from: "000000000777", to: savings, Int64(amount))) }
          expect(found == result)
        }
        expect(
          try await store.write { try $0.book(.sample(from: "000000000777", to: savings, 1)) } == .insufficientFunds)
        expect(try await store.balance(savings) == 150)
        try await expectBalanced(store)
      }
    },
    StoreContract("nothing moves between accounts that do not fit") { place in
      try await place.withStore { store in
        try await store.openAccounts()
        try await store.write {
          _ = try $0.addAccount(.sample("000000000888", currency: "USD"))
          let house = try $0.houseAccount(currency: "USD").number
          _ = try $0.book(.sample(from: house, to: "000000000888", 1000, currency: "USD"))
        }
        let refused: [Booking] = [
          .sample(from: checking, to: checking, 1), .sample(from: checking, to: "999999999999", 1),
          .sample(from: "999999999999", to: checking, 1), .sample(from: "", to: "", 1),
          .sample(from: checking, to: "000000000888", 1), .sample(from: "000000000888", to: checking, 1),
          .sample(from: "000000000888", to: checking, 1, currency: "USD"),
          .sample(from: checking, to: savings, 1, currency: "USD"),
          .sample(from: checking, to: savings, 1, currency: ""),
          // More than there is, to nowhere: it is the accounts that are named.
          .sample(from: checking, to: "999999999999", .max),
        ]
        for booking in refused {
          expect(try await store.write { try $0.book(booking) } == .noSuchAccounts, "\(booking)")
        }
        expect(try await store.balance(checking) == 100_000)
        expect(try await store.balance("000000000888") == 1000)
        try await expectBalanced(store)
      }
    },
    StoreContract("an amount is above zero") { place in
      try await place.withStore { store in
        try await store.openAccounts()
        for amount in [0, -1, Int64.min] {
          await expectMisuse("an amount of \(amount)") {
            _ = try await store.write { try $0.book(.sample(from: checking, to: savings, amount)) }
          }
        }
        expect(try await store.balance(checking) == 100_000)
      }
    },
    StoreContract("a booking of a name is there once") { place in
      try await place.withStore { store in
        try await store.openAccounts()
        let booking = Booking.sample(from: checking, to: savings, 10)
        _ = try await store.write { try $0.book(booking) }
        await expectMisuse("the same booking again") { _ = try await store.write { try $0.book(booking) } }
        expect(try await store.balance(checking) == 99_990)
        try await expectBalanced(store)
      }
    },
    StoreContract("no balance leaves 64 bits") { place in
      try await place.withStore { store in
        try await store.openAccounts([checking: .max, savings: 0])
        let house = try await store.read { try $0.houseAccount(currency: "EUR") }
        expect(house.balance == -.max)
        _ = try await store.write { try $0.addAccount(.sample("000000000999", overdraft: .max)) }
        await expectMisuse("more than an account can hold") {
          _ = try await store.write { try $0.book(.sample(from: "000000000999", to: checking, 1)) }
        }
        for amount in [1, Int64.max] {
          let result = try await store.write { try $0.book(.sample(from: house.number, to: savings, amount)) }
          expect(result == .insufficientFunds)
        }
        expect(try await store.balance(checking) == .max)
        expect(
          try await store.write { try $0.book(.sample(from: checking, to: house.number, .max)) } == .booked(balance: 0))
        try await expectBalanced(store)
      }
    },
    StoreContract("sums are right where their parts leave 64 bits") { place in
      try await place.withStore { store in
        _ = try await store.write { try $0.addUser(.ann) }
        try await store.write { transaction in
          for number in 1...4 {
            let (giver, taker) = ("10000000000\(number)", "20000000000\(number)")
            _ = try transaction.addAccount(.sample(giver, overdraft: .max))
            _ = try transaction.addAccount(.sample(taker))
            _ = try transaction.book(.sample(from: giver, to: taker, .max))
          }
        }
        expect(try await store.balance("100000000001") == -.max)
        try await expectBalanced(store)
      }
    },
    StoreContract("sums come by currency") { place in
      try await place.withStore { store in
        expect(try await store.read { try $0.ledgerSums() } == [:])
        try await store.openAccounts()
        _ = try await store.write { try $0.houseAccount(currency: "USD") }
        expect(try await store.read { try $0.ledgerSums() } == ["EUR": 0, "USD": 0])
      }
    },
    StoreContract("of many who take from one account at once, as many get it as it has") { place in
      try await place.withStore { store in
        try await store.openAccounts([checking: 100, savings: 0])
        let results = try await atOnce { _ in
          try await store.write { try $0.book(.sample(from: checking, to: savings, 10)) }
        }
        expect(results.filter { $0 == .insufficientFunds }.count == 54)
        expect(try await store.balance(checking) == 0)
        expect(try await store.balance(savings) == 100)
        try await expectBalanced(store)
      }
    },
    StoreContract("bookings to and fro at once lose nothing and gain nothing") { place in
      try await place.withStore { store in
        let numbers = (0..<6).map { "12000000000\($0)" }
        try await store.openAccounts(Dictionary(uniqueKeysWithValues: numbers.map { ($0, 1000) }))
        _ = try await atOnce(16) { task in
          for round in 0..<10 {
            let (from, to) = (numbers[(task + round) % 6], numbers[(task * 5 + round * 3 + 1) % 6])
            let amount = Int64(1 + (task * 31 + round * 17) % 400)
            _ = try await store.write { try $0.book(.sample(from: from, to: to, amount)) }
          }
        }
        let accounts = try await store.read { try $0.accounts(of: "ann") }
        expect(accounts.map(\.balance).reduce(0, +) == 6000)
        expect(accounts.allSatisfy { $0.balance >= 0 })
        try await expectBalanced(store)
      }
    },
  ]
}
