import LatchkeyEnrollmentStore
import Testing

/// A service with one table; its second step adds a column.
private func schema(steps: Int = 2) throws -> ServiceSchema {
  let all: [ServiceSchema.Step] = [
    { ["CREATE TABLE trial_rows (name TEXT NOT NULL PRIMARY KEY)\($0.clustered)"] },
    { ["ALTER TABLE trial_rows ADD COLUMN size \($0.integer)"] },
  ]
  return try ServiceSchema(name: "trial", steps: Array(all.prefix(steps)))
}

extension StoreContract {
  static let services = [
    StoreContract("servers that start at once on a new store make a service's tables once") { place in
      var stores: [any EnrollmentStore] = []
      for number in 0..<3 { stores.append(try await place.open(node: "node \(number)", faults: nil)) }
      let (opened, schema) = (stores, try schema())
      _ = try await atOnce { number in
        try await opened[number % 3].write { try $0.bringForward(schema) }
        return true
      }
      for store in opened {
        expect(try await store.read { try $0.serviceVersion("trial") } == 2)
        try await store.write { _ = try $0.change("DELETE FROM trial_rows WHERE size = $1", [.integer(1)]) }
        await store.close()
      }
    },
    StoreContract("a service's tables go forward with what is in them, and never back") { place in
      try await place.withStore { store in
        let (first, second) = (try schema(steps: 1), try schema())
        try await store.write { try $0.bringForward(first) }
        try await store.write { _ = try $0.change("INSERT INTO trial_rows (name) VALUES ($1)", [.text("one")]) }
        try await store.write { try $0.bringForward(second) }
        expect(try await store.read { try $0.row("SELECT name, size FROM trial_rows")?.text(0) } == "one")
        await expectMisuse("tables of a later version") { try await store.write { try $0.bringForward(first) } }
        expect(try await store.read { try $0.serviceVersion("trial") } == 2)
        expect(try await store.read { try $0.serviceVersion("other") } == nil)
      }
    },
    StoreContract("a step that is refused leaves no table and no version") { place in
      try await place.withStore { store in
        let broken = try ServiceSchema(
          name: "trial",
          steps: [{ ["CREATE TABLE trial_rows (name TEXT NOT NULL PRIMARY KEY)\($0.clustered)", "CREATE NONSENSE"] }])
        await expectMisuse("a definition that is none") { try await store.write { try $0.bringForward(broken) } }
        expect(try await store.read { try $0.serviceVersion("trial") } == nil)
        let whole = try schema()
        try await store.write { try $0.bringForward(whole) }
        expect(try await store.read { try $0.serviceVersion("trial") } == 2)
      }
    },
    StoreContract("a read makes no tables") { place in
      try await place.withStore { store in
        let schema = try schema()
        await expectMisuse("tables in a read") { try await store.read { try $0.bringForward(schema) } }
        expect(try await store.read { try $0.serviceVersion("trial") } == nil)
      }
    },
  ]
}
