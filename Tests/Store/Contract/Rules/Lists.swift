import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import Testing

extension StoreContract {
  private static func token(_ number: UInt8, of user: UserName, expires: Int64) -> TokenRecord {
    TokenRecord(hash: [UInt8](repeating: number, count: 32), user: user, device: nil, expires: expires)
  }

  private static func certificate(_ number: UInt8, of device: DeviceRecord, notAfter: Int64) -> CertificateRecord {
    CertificateRecord(
      fingerprint: Fingerprint([UInt8](repeating: number, count: 32)), serial: [number], device: device.id,
      notAfter: notAfter)
  }

  private static func pending(_ request: String, created: Int64 = 1, expires: Int64 = 100) -> PendingDeviceRecord {
    PendingDeviceRecord(
      id: .random(), user: "ann", name: "new", profile: "p", identityKey: [4], identityEvidence: "none",
      request: request, digest: RequestDigest([1]), created: created, expires: expires)
  }

  /// All pages of a list, each after the end of the one before.
  private static func pages<Record: Sendable>(
    of store: any EnrollmentStore, _ limit: Int,
    _ read: @escaping @Sendable (any StoreTransaction, Record?, Int) throws -> ListPart<Record>
  ) async throws -> [[Record]] {
    var (pages, end) = ([[Record]](), Record?.none)
    repeat {
      let place = end
      let part = try await store.read { try read($0, place, limit) }
      pages.append(part.records)
      end = part.end
    } while end != nil && pages.count < 100
    return pages
  }

  static let lists = [
    StoreContract("a list of devices has those of its user, state and first characters alone") { place in
      try await place.withStore { store in
        var devices = [DeviceRecord.sample("ann"), .sample("ann"), .sample("ben")]
        for (number, name) in ["pump", "Pump", "pump 2"].enumerated() { devices[number].name = name }
        let all = devices
        try await store.write { store in
          _ = try store.addUser(.ann)
          _ = try store.addUser(.ben)
          for device in all { try store.addDevice(device) }
          expect(try store.revokeDevice(all[0].id, at: 5, reason: 0))
        }
        for (filter, wanted) in [
          (DeviceFilter(), [0, 1, 2]), (DeviceFilter(user: "ann"), [0, 1]), (DeviceFilter(user: "eve"), []),
          (DeviceFilter(isRevoked: true), [0]), (DeviceFilter(isRevoked: false), [1, 2]),
          (DeviceFilter(user: "ann", isRevoked: false), [1]), (DeviceFilter(user: "ben", isRevoked: true), []),
          (DeviceFilter(prefix: "pump"), [0, 2]), (DeviceFilter(prefix: "pump 2"), [2]),
          (DeviceFilter(prefix: "_"), []),
          (DeviceFilter(user: "ann", prefix: "pump"), [0]), (DeviceFilter(prefix: "Pump", isRevoked: true), []),
        ] {
          let found = try await store.read { try $0.devices(filter, after: nil, limit: 9).records.map(\.id) }
          expect(Set(found) == Set(wanted.map { all[$0].id }) && found.count == wanted.count, "\(filter)")
        }
      }
    },
    StoreContract("a list of certificates has those of its device and state alone") { place in
      try await place.withStore { store in
        let (device, other) = (DeviceRecord.sample("ann"), DeviceRecord.sample("ann"))
        try await store.write { store in
          _ = try store.addUser(.ann)
          try store.addDevice(device)
          try store.addDevice(other)
          for (number, owner, end) in [(1, device, 1000), (2, device, 50), (3, other, 1000), (4, other, 50)]
            as [(UInt8, DeviceRecord, Int64)]
          {
            try store.addCertificate(certificate(number, of: owner, notAfter: end))
          }
          for number in [3, 4] as [UInt8] {
            let fingerprint = Fingerprint([UInt8](repeating: number, count: 32))
            expect(try store.revokeCertificate(fingerprint: fingerprint, at: 5, reason: 0))
          }
        }
        for (filter, wanted) in [
          (CertificateFilter(), [1, 2, 3, 4]), (CertificateFilter(device: device.id), [1, 2]),
          (CertificateFilter(state: .valid), [1]), (CertificateFilter(state: .expired), [2]),
          (CertificateFilter(state: .revoked), [3, 4]), (CertificateFilter(device: other.id, state: .valid), []),
          (CertificateFilter(device: other.id, state: .revoked), [3, 4]), (CertificateFilter(device: .random()), []),
        ] as [(CertificateFilter, [UInt8])] {
          let found = try await store.read { try $0.certificates(filter, after: nil, now: 50, limit: 9).records }
          expect(found.map(\.serial) == wanted.map { [$0] }, "\(filter)")
        }
      }
    },
    StoreContract("sessions and waiting devices are in a list until they end; a rejected device is not") { place in
      try await place.withStore { store in
        let waiting = [pending("1"), pending("2", expires: 50), pending("3"), pending("4")]
        try await store.write { store in
          _ = try store.addUser(.ann)
          _ = try store.addUser(.ben)
          for (number, user, end) in [(1, "ann", 50), (2, "ann", 100), (3, "ben", 100)] as [(UInt8, UserName, Int64)] {
            try store.addToken(token(number, of: user, expires: end))
          }
          for device in waiting { expect(try store.addPendingDevice(device)) }
          expect(try store.decidePendingDevice(waiting[2].id, .init(isApproved: true, by: .operator), at: 2))
          expect(try store.decidePendingDevice(waiting[3].id, .init(isApproved: false, by: .operator), at: 2))
        }
        for (user, now, wanted) in [
          (nil, 49, [1, 2, 3]), (nil, 50, [2, 3]), ("ann", 49, [1, 2]), ("ann", 50, [2]), ("ann", 100, []),
          ("ben", 49, [3]), ("eve", 49, []),
        ] as [(UserName?, Int64, [UInt8])] {
          let found = try await store.read { try $0.tokens(of: user, after: nil, now: now, limit: 9).records }
          expect(found.map(\.hash[0]) == wanted, "\(now)")
        }
        for user in [nil, "ann"] as [UserName?] {
          for (now, wanted) in [(49, ["1", "2", "3"]), (50, ["1", "3"]), (100, [])] as [(Int64, [String])] {
            let found = try await store.read { try $0.pendingDevices(of: user, after: nil, now: now, limit: 9).records }
            expect(found.map(\.request).sorted() == wanted, "\(now)")
          }
        }
      }
    },
    StoreContract("each record of a list is on one page, in order, and no page follows the last record") { place in
      try await place.withStore { store in
        let devices = (0..<4).map { _ in DeviceRecord.sample("ann") }
        let waiting = (0..<4).map { pending("\($0)", created: Int64($0 / 2)) }
        let tokens = (0..<4).map { number in
          EnrollmentTokenRecord(
            id: .random(), hash: [UInt8(number)], user: "ann", deviceName: nil, profile: "p",
            created: Int64(number / 2), expires: 100)
        }
        try await store.write { store in
          for name in ["a", "ann", "b", "c"] as [UserName] {
            expect(try store.addUser(UserRecord(name: name, passwordHash: nil)))
          }
          for device in devices { try store.addDevice(device) }
          for number in 0..<4 as Range<UInt8> {
            try store.addCertificate(certificate(number, of: devices[0], notAfter: 100))
            try store.addToken(token(number, of: "ann", expires: 100))
          }
          for device in waiting { expect(try store.addPendingDevice(device)) }
          for token in tokens { try store.addEnrollmentToken(token) }
        }
        for (limit, sizes) in [(1, [1, 1, 1, 1]), (3, [3, 1]), (4, [4]), (9, [4])] {
          func check<Key: Equatable>(_ pages: [[Key]], _ wanted: [Key], at line: SourceLocation = #_sourceLocation) {
            expect(pages.map(\.count) == sizes && pages.flatMap { $0 } == wanted, "\(limit): \(pages)", at: line)
          }
          let users = try await pages(of: store, limit) { (store, last: UserRecord?, limit) in
            try store.users(UserFilter(), after: last?.name, now: 5, limit: limit)
          }
          check(users.map { $0.map(\.name) }, ["a", "ann", "b", "c"])
          let sorted = devices.map(\.id.bytes).sorted { $0.lexicographicallyPrecedes($1) }
          for filter in [DeviceFilter(), DeviceFilter(user: "ann")] {
            let found = try await pages(of: store, limit) { (store, last: DeviceRecord?, limit) in
              try store.devices(filter, after: last?.id, limit: limit)
            }
            check(found.map { $0.map(\.id.bytes) }, sorted)
          }
          for filter in [CertificateFilter(), CertificateFilter(device: devices[0].id)] {
            let found = try await pages(of: store, limit) { (store, last: CertificateRecord?, limit) in
              try store.certificates(filter, after: last?.fingerprint, now: 5, limit: limit)
            }
            check(found.map { $0.map(\.serial) }, (0..<4).map { [$0] })
          }
          for user in [nil, "ann"] as [UserName?] {
            let sessions = try await pages(of: store, limit) { (store, last: TokenRecord?, limit) in
              try store.tokens(of: user, after: last?.hash, now: 5, limit: limit)
            }
            check(sessions.map { $0.map(\.hash[0]) }, [0, 1, 2, 3])
            let found = try await pages(of: store, limit) { (store, last: PendingDeviceRecord?, limit) in
              let place = last.map { CreationPlace(created: $0.created, id: $0.id) }
              return try store.pendingDevices(of: user, after: place, now: 5, limit: limit)
            }
            check(found.map { $0.map(\.request) }, Self.order(waiting.map { ($0.created, $0.id, $0.request) }))
          }
          let found = try await pages(of: store, limit) { (store, last: EnrollmentTokenRecord?, limit) in
            try store.enrollmentTokens(
              after: last.map { CreationPlace(created: $0.created, id: $0.id) }, limit: limit)
          }
          check(found.map { $0.map(\.hash) }, Self.order(tokens.map { ($0.created, $0.id, $0.hash) }).reversed())
        }
      }
    },
  ]

  /// By time, then by identifier.
  private static func order<Value>(_ records: [(Int64, Identifier, Value)]) -> [Value] {
    records.sorted { ($0.0, $0.1.description) < ($1.0, $1.1.description) }.map(\.2)
  }
}
