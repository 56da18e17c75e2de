import LatchkeyEnrollmentStore
import Testing

extension StoreContract {
  static let audit = [
    StoreContract("entries are chained in the order of their writing, with all that they say") { place in
      try await place.withStore { store in
        let entries = [
          AuditEntry(event: "device.registered", time: 1, fields: ["user": "ann", "device": "ab"]),
          AuditEntry(event: "", time: .min), AuditEntry(event: "名前", time: .max, fields: ["": "", "é": "e\u{0301}"]),
        ]
        // In one body: of a store with several connections, each has a chain of its own.
        try await store.write { for entry in entries { try $0.audit(entry) } }
        let node = try await store.read { try $0.auditNodes() }
        let found = try await store.read { try $0.auditEntries(node: node[0], after: 0, limit: 10) }
        expect(node.count == 1)
        expect(found.map(\.entry) == entries)
        expect(found.map(\.sequence) == [1, 2, 3])
        expect(found.map(\.previous) == [[UInt8](repeating: 0, count: 32), found[0].hash, found[1].hash])
        let head = try await store.read { try $0.auditHead(node: node[0]) }
        expect(head == AuditHead(node: node[0], sequence: 3, hash: found[2].hash))
        try await expectWholeChains(store, entries: 3)
      }
    },
    StoreContract("several entries of one body, and of many at once, make whole chains") { place in
      try await place.withStore { store in
        _ = try await atOnce { number in
          try await store.write { transaction in
            for part in 0..<3 {
              try transaction.audit(AuditEntry(event: "e", time: Int64(number), fields: ["part": "\(part)"]))
            }
          }
        }
        try await expectWholeChains(store, entries: 192)
      }
    },
    StoreContract("an entry whose body throws leaves no gap") { place in
      try await place.withStore { store in
        for number in 0..<6 {
          let result = await Task {
            try await store.write { transaction in
              try transaction.audit(AuditEntry(event: "e", time: Int64(number)))
              if number % 2 == 0 { throw Refusal() }
            }
          }.result
          if case .success = result { expect(number % 2 == 1) } else { #expect(number % 2 == 0) }
        }
        try await expectWholeChains(store, entries: 3)
      }
    },
    StoreContract("a body sees the chain with its own entry") { place in
      try await place.withStore { store in
        try await store.write { transaction in
          try transaction.audit(AuditEntry(event: "e", time: 1))
          let node = try transaction.auditNodes()
          expect(node.count == 1)
          let entries = try transaction.auditEntries(node: node[0], after: 0, limit: 9)
          expect(try transaction.auditHead(node: node[0])?.hash == entries.last?.hash)
          expect(entries.count == 1)
        }
      }
    },
    StoreContract("a chain goes on after the next opening, and each node has its own") { place in
      for (round, node) in ["one", "two", "one"].enumerated() {
        try await place.withStore(node: node) { store in
          for number in 0..<2 {
            try await store.write { try $0.audit(AuditEntry(event: "e", time: Int64(round * 2 + number))) }
          }
        }
      }
      try await place.withStore { store in
        let reports = try await AuditChain.verify(store)
        expect(reports.map(\.fault) == reports.map { _ in nil })
        for (node, count) in [("one", Int64(4)), ("two", 2)] {
          expect(reports.filter { $0.node.hasPrefix(node) }.map(\.entries).reduce(0, +) == count)
        }
      }
    },
    StoreContract("entries come after a number, so many at a time") { place in
      try await place.withStore { store in
        try await store.write { transaction in
          for number in 1...5 { try transaction.audit(AuditEntry(event: "e", time: Int64(number))) }
        }
        let node = try await store.read { try $0.auditNodes()[0] }
        for (after, limit, expected) in [
          (0, 2, [1, 2]), (2, 2, [3, 4]), (4, 9, [5]), (5, 9, []), (0, 0, []), (0, -1, []),
        ] {
          let found = try await store.read { try $0.auditEntries(node: node, after: Int64(after), limit: limit) }
          expect(found.map(\.sequence) == expected.map(Int64.init))
        }
        expect(try await store.read { try $0.auditEntries(node: "nobody", after: 0, limit: 9) } == [])
        expect(try await store.read { try $0.auditHead(node: "nobody") } == nil)
      }
    },
  ]

  static let settings = [
    StoreContract("a setting is what it was last set to") { place in
      try await place.withStore { store in
        expect(try await store.read { try $0.setting("ca") } == nil)
        for value in [[1, 2, 3], [], bytes(10_000)] {
          try await store.write { try $0.setSetting("ca", to: value) }
          expect(try await store.read { try $0.setting("ca") } == value)
        }
        expect(try await store.read { try $0.setting("CA") } == nil)
      }
    }
  ]
}
