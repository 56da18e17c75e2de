import LatchkeyServerTestSupport
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore
import LatchkeyTestSupport
import Testing

/// Lists of a fleet: by pages, while others write.
@Suite("Lists of the operator")
struct OperatorListsTests {
  private static func withStore(_ body: (SQLiteStore) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-lists-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try SQLiteStore(path: folder.appending(path: "server.db").path, node: "test")
    do { try await body(store) } catch {
      await store.close()
      throw error
    }
    await store.close()
  }

  private static func fill(_ store: SQLiteStore, devices: Int) async throws {
    _ = try await store.write { store in
      for name in ["ann", "bob", "Ångström", "bo"] {
        _ = try store.addUser(UserRecord(name: .init(stored: name), passwordHash: nil))
      }
    }
    for start in stride(from: 0, to: devices, by: 5000) {
      try await store.write { store in
        for number in start..<min(start + 5000, devices) {
          let id = Identifier.random()
          try store.addDevice(
            DeviceRecord(
              id: id, user: number % 10 == 0 ? "bob" : "ann", name: "d\(number)", created: Int64(number),
              identityKey: [4]))
          try store.addCertificate(
            CertificateRecord(
              fingerprint: Fingerprint(id.bytes + id.bytes), serial: id.bytes, device: id, notAfter: 2_000_000_000))
        }
      }
    }
  }

  @Test("Each of 50 000 devices is on one page, though others are added between the pages")
  func manyDevices() async throws {
    try await Self.withStore { store in
      try await Self.fill(store, devices: 50_000)
      let engine = Operator(store)
      var (seen, cursor, longest) = (Set<Identifier>(), String?.none, Duration.zero)
      repeat {
        let place = cursor
        // Between pages a device is added: it is in the list or not, and nothing else is lost or repeated by it.
        try await store.write {
          try $0.addDevice(
            DeviceRecord(id: .random(), user: "ann", name: "late", created: 0, identityKey: [4]))
        }
        let begun = ContinuousClock.now
        let page = try await engine.devices(DeviceFilter(prefix: "d"), limit: 1000, cursor: place)
        longest = max(longest, .now - begun)
        #expect(page.records.count <= 1000)
        for device in page.records { #expect(seen.insert(device.id).inserted) }
        cursor = page.next
      } while cursor != nil
      #expect(seen.count == 50_000)
      // Only a list that is read from its beginning for every page, or whole, takes so long.
      #expect(longest < .seconds(20))
      let owners = try await engine.devices(DeviceFilter(user: "bob"), limit: 1000).records.map(\.user)
      #expect(Set(owners) == ["bob"])
      #expect(try await engine.certificates(CertificateFilter(state: .revoked)).records.isEmpty)
    }
  }

  @Test("A list does not wait for a write that is under way, nor a write for a list")
  func besideWriter() async throws {
    try await Self.withStore { store in
      try await Self.fill(store, devices: 10)
      let (began, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      async let write: Void = store.write { store in
        _ = try store.addUser(UserRecord(name: "carl", passwordHash: nil))
        began.signal()
        mayEnd.wait()
      }
      try await onThread { began.wait() }
      let users = try await Operator(store).users()
      mayEnd.signal()
      try await write
      #expect(!users.records.contains { $0.name == "carl" } && users.records.count == 4)
      // The other way round: the write returns before the read does.
      async let read: [Int] = store.read { store in
        let before = try store.users(UserFilter(), after: nil, now: 0, limit: 9).records.count
        began.signal()
        mayEnd.wait()
        return [before, try store.users(UserFilter(), after: nil, now: 0, limit: 9).records.count]
      }
      try await onThread { began.wait() }
      _ = try await store.write { try $0.addUser(UserRecord(name: "dora", passwordHash: nil)) }
      mayEnd.signal()
      #expect(try await read == [5, 5])
    }
  }

  @Test("Users are found by prefix and state, and their names are bytes")
  func users() async throws {
    try await Self.withStore { store in
      try await Self.fill(store, devices: 0)
      let engine = Operator(store)
      #expect(try await engine.users(UserFilter(prefix: "bo")).records.map(\.name.text) == ["bo", "bob"])
      #expect(try await engine.users(UserFilter(prefix: "Å")).records.map(\.name.text) == ["Ångström"])
      #expect(try await engine.users(UserFilter(prefix: "%")).records.isEmpty)
      #expect(try await engine.users(UserFilter(prefix: "' OR 1=1 --")).records.isEmpty)
      try await engine.disable("bob")
      #expect(try await engine.users(UserFilter(state: .disabled)).records.map(\.name.text) == ["bob"])
      #expect(try await engine.users(UserFilter(prefix: "bo", state: .active)).records.map(\.name.text) == ["bo"])
      let first = try await engine.users(limit: 3)
      let rest = try await engine.users(limit: 3, cursor: first.next)
      #expect((first.records + rest.records).map(\.name.text) == ["ann", "bo", "bob", "Ångström"])
      #expect(rest.next == nil)
      for cursor in ["!", "", "gA", String(repeating: "A", count: 5000)] {
        await #expect(throws: OperatorError.self) { try await engine.users(cursor: cursor) }
      }
      await #expect(throws: OperatorError.self) { try await engine.users(limit: 1001) }
    }
  }

  @Test("A page has 1 to 1000 records, in every list, and there are no devices or sessions of a user who is not there")
  func bounds() async throws {
    try await Self.withStore { store in
      try await Self.fill(store, devices: 0)
      let engine = Operator(store)
      let lists: [(Int) async throws -> Void] = [
        { _ = try await engine.users(limit: $0) }, { _ = try await engine.devices(DeviceFilter(), limit: $0) },
        { _ = try await engine.certificates(CertificateFilter(), limit: $0) },
        { _ = try await engine.sessions(limit: $0) }, { _ = try await engine.tokens(limit: $0) },
        { _ = try await engine.pendingDevices(limit: $0) }, { _ = try await engine.auditEntries(limit: $0) },
      ]
      for list in lists {
        for limit in [1, 1000] { try await list(limit) }
        for limit in [0, -1, 1001, .max, .min] {
          await #expect(throws: OperatorError.invalid("a page has 1 to 1000 records")) { try await list(limit) }
        }
      }
      await #expect(throws: OperatorError.noUser("eve")) { try await engine.devices(DeviceFilter(user: "eve")) }
      await #expect(throws: OperatorError.noUser("eve")) { try await engine.sessions(of: "eve") }
    }
  }

  @Test("A cursor of another length than a list's is refused, and does not begin the list anew")
  func cursors() async throws {
    try await Self.withStore { store in
      try await Self.fill(store, devices: 0)
      let engine = Operator(store)
      for (length, isDevice, isHash) in [(15, false, false), (16, true, false), (17, false, false), (32, false, true)] {
        let cursor = Base64URL.encode([UInt8](repeating: 1, count: length))
        let lists: [(isRight: Bool, () async throws -> Void)] = [
          (isDevice, { _ = try await engine.devices(DeviceFilter(), cursor: cursor) }),
          (isHash, { _ = try await engine.certificates(CertificateFilter(), cursor: cursor) }),
          (isHash, { _ = try await engine.sessions(cursor: cursor) }),
        ]
        for (isRight, list) in lists {
          guard !isRight else {
            try await list()
            continue
          }
          await #expect(throws: OperatorError.invalid("the cursor is not one of this list: begin again without")) {
            try await list()
          }
        }
      }
    }
  }

  @Test("Enrollment tokens come newest first, each in one page, also those of one second")
  func tokens() async throws {
    try await Self.withStore { store in
      try await Self.fill(store, devices: 0)
      try await store.write { store in
        for number in 0..<25 {
          let id = Identifier.random()
          try store.addEnrollmentToken(
            EnrollmentTokenRecord(
              id: id, hash: id.bytes + id.bytes, user: "ann", deviceName: nil, profile: "default",
              created: Int64(number / 10), expires: 2_000_000_000))
        }
      }
      let engine = Operator(store)
      var (seen, cursor) = ([EnrollmentTokenRecord](), String?.none)
      repeat {
        let page = try await engine.tokens(limit: 4, cursor: cursor)
        #expect(page.records.count <= 4)
        seen += page.records
        cursor = page.next
      } while cursor != nil
      #expect(Set(seen.map(\.id)).count == 25 && seen.count == 25)
      #expect(seen.map(\.created) == seen.map(\.created).sorted(by: >))
      for cursor in ["!", "", "gA", String(repeating: "A", count: 31), String(repeating: "A", count: 33)] {
        await #expect(throws: OperatorError.self, "\(cursor)") { try await engine.tokens(cursor: cursor) }
        await #expect(throws: OperatorError.self, "\(cursor)") { try await engine.pendingDevices(cursor: cursor) }
      }
    }
  }

  @Test("A page of a search that finds nothing among 1001 users is empty and not the last; ended locks are not found")
  func emptyPages() async throws {
    try await Self.withStore { store in
      try await store.write { store in
        for number in 0..<1500 {
          var user = UserRecord(name: .init(stored: "u\(10_000 + number)"), passwordHash: nil)
          user.lockedUntil = number == 1400 ? 4_000_000_000 : 1
          _ = try store.addUser(user)
        }
      }
      let engine = Operator(store)
      for filter in [
        UserFilter(prefix: "u11499"), UserFilter(state: .locked), UserFilter(prefix: "u1", state: .locked),
      ] {
        let first = try await engine.users(filter, limit: 1)
        #expect(first.records.isEmpty)
        let next: String = try #require(first.next)
        let second = try await engine.users(filter, limit: 1, cursor: next)
        #expect(second.records.map(\.name.text) == [filter.state == nil ? "u11499" : "u11400"])
        guard let more = second.next else { continue }
        let rest = try await engine.users(filter, limit: 1, cursor: more)
        #expect(rest.records.isEmpty && rest.next == nil)
      }
      #expect(try await engine.users(UserFilter(state: .disabled)).next == nil)
    }
  }

  @Test("Audit entries of all chains come by chain, then by number, each on one page")
  func chains() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-chains-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "server.db").path
    for node in ["b", "a", "b"] {
      let store = try SQLiteStore(path: path, node: node)
      for number in 0..<3 as Range<Int64> {
        try await store.write { try $0.audit(AuditEntry(event: "e", time: number, fields: ["node": node])) }
      }
      await store.close()
    }
    let store = try SQLiteStore(path: path, node: "c")
    let engine = Operator(store)
    for limit in [1, 2, 3, 4, 9, 10] {
      var (cursor, found) = (String?.none, [ChainedEntry]())
      repeat {
        let page = try await engine.auditEntries(limit: limit, cursor: cursor)
        found += page.records
        cursor = page.next
      } while cursor != nil && found.count < 100
      #expect(
        found.map(\.entry.fields) == Array(repeating: ["node": "a"], count: 3)
          + Array(repeating: ["node": "b"], count: 6))
      #expect(found.map(\.sequence) == [1, 2, 3, 1, 2, 3, 4, 5, 6])
    }
    #expect(try await engine.auditEntries(.init(since: 2)).records.map(\.sequence) == [3, 3, 6])
    await store.close()
  }

  @Test("A page of a search of the audit log looks at 20 000 entries, and goes on behind them")
  func auditSearch() async throws {
    try await Self.withStore { store in
      try await store.write { store in
        for number in 1...20_001 as ClosedRange<Int64> {
          try store.audit(AuditEntry(event: number == 20_001 ? "rare" : "usual", time: number, fields: [:]))
        }
      }
      let engine = Operator(store)
      let first = try await engine.auditEntries(.init(event: "rare"))
      #expect(first.records.isEmpty)
      let next: String = try #require(first.next)
      let second = try await engine.auditEntries(.init(event: "rare"), cursor: next)
      #expect(second.records.map(\.sequence) == [20_001] && second.next == nil)
    }
  }

  @Test("Audit entries are found by event, field and chain, page by page")
  func audit() async throws {
    try await Self.withStore { store in
      try await Self.fill(store, devices: 0)
      let engine = Operator(store)
      for _ in 0..<3 {
        try await engine.disable("ann")
        try await engine.enable("ann")
      }
      try await engine.disable("bob")
      var (cursor, found) = (String?.none, [Int64]())
      repeat {
        let page = try await engine.auditEntries(
          .init(event: "user.disabled", value: "ann"), limit: 1, cursor: cursor)
        found += page.records.map(\.sequence)
        cursor = page.next
      } while cursor != nil
      #expect(found == [1, 3, 5])
      var later = Operator.AuditFilter(node: "test")
      later.after = 5
      #expect(try await engine.auditEntries(later).records.map(\.sequence) == [6, 7])
      #expect(try await engine.auditEntries(.init(node: "other")).records.isEmpty)
      for cursor in ["AAAA", "MA", "LTEgdGVzdA", "MQ"] {
        await #expect(throws: OperatorError.self) { try await engine.auditEntries(cursor: cursor) }
      }
    }
  }

  @Test("A disabled user raises the revocation epoch, so that other servers' caches end")
  func epoch() async throws {
    try await Self.withStore { store in
      try await Self.fill(store, devices: 0)
      let before = try await store.read { try $0.revocationEpoch() }
      try await Operator(store).disable("ann")
      await #expect(throws: OperatorError.self) { try await Operator(store).disable("ann") }
      let after = try await store.read { try $0.revocationEpoch() }
      #expect(after == before + 1)
    }
  }
}
