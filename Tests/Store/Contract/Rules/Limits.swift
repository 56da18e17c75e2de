import LatchkeyEnrollmentStore
import Testing

extension StoreContract {
  private static func report(_ node: String, sequence: Int64 = 1, expires: Int64 = 100) -> LimitReport {
    LimitReport(
      node: node, session: [UInt8](repeating: 1, count: 16), sequence: sequence, expires: expires, counts: [1, 2])
  }

  static let limits = [
    StoreContract("each server has one report of limits, which the others read until it ends") { place in
      try await place.withStore { store in
        try await store.write {
          for node in ["a", "b", "c"] { try $0.setLimitReport(report(node, expires: node == "c" ? 50 : 100)) }
          try $0.setLimitReport(report("a", sequence: 2, expires: 120))
        }
        func nodes(_ now: Int64, limit: Int = 10) async throws -> [String] {
          try await store.read { try $0.limitReports(otherThan: "b", now: now, limit: limit).map(\.node) }
        }
        expect(try await nodes(49) == ["a", "c"])
        expect(try await nodes(49, limit: 1) == ["a"])
        expect(try await nodes(50) == ["a"])
        expect(try await nodes(120) == [])
        expect(
          try await store.read { try $0.limitReports(otherThan: "b", now: 1, limit: 1) }
            == [report("a", sequence: 2, expires: 120)])
        expect(try await store.write { try $0.forgetEnded(now: 100, limit: 10) } == 2)
        expect(try await store.read { try $0.limitReports(otherThan: "x", now: 0, limit: 9) }.map(\.node) == ["a"])
      }
    },
    StoreContract("a report of limits with an end far ahead is not read, and is forgotten") { place in
      try await place.withStore { store in
        try await store.write {
          try $0.setLimitReport(report("a", expires: 3601))
          try $0.setLimitReport(report("b", expires: .max))
        }
        expect(try await store.read { try $0.limitReports(otherThan: "c", now: 0, limit: 9) } == [])
        expect(
          try await store.read { try $0.limitReports(otherThan: "c", now: 1, limit: 9) } == [report("a", expires: 3601)]
        )
        expect(try await store.write { try $0.forgetEnded(now: 1, limit: 10) } == 1)
      }
    },
    StoreContract("other servers count as long as they have their names") { place in
      try await place.withStore { store in
        let holder = Identifier.random()
        try await store.write {
          for (node, end) in [("a", 100), ("b", 50)] as [(String, Int64)] {
            _ = try $0.claimNode(node, holder: holder, now: 0, expires: end)
          }
        }
        func others(_ node: String, _ now: Int64) async throws -> Int {
          try await store.read { try $0.countNodes(otherThan: node, now: now) }
        }
        expect(try await others("c", 49) == 2)
        expect(try await others("a", 49) == 1)
        expect(try await others("a", 50) == 0)
        try await store.write { try $0.releaseNode("a", holder: holder) }
        expect(try await others("c", 49) == 1)
      }
    },
  ]
}
