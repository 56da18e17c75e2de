import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import Testing

extension StoreContract {
  private static func token(_ hash: UInt8 = 1, expires: Int64 = 100) -> EnrollmentTokenRecord {
    EnrollmentTokenRecord(
      id: .random(), hash: [hash], user: "ann", deviceName: "sensor", profile: "p", created: 1, expires: expires)
  }

  private static func pending(_ request: String = "r", expires: Int64 = 100) -> PendingDeviceRecord {
    PendingDeviceRecord(
      id: .random(), user: "ann", name: "new", profile: "p", identityKey: [4], identityEvidence: "none",
      request: request, digest: RequestDigest([1]), created: 1, expires: expires)
  }

  static let enrollment = [
    StoreContract("of many servers that use one enrollment token at once, one does") { place in
      try await place.withStore { first in
        let second = try await place.open(node: "second", faults: nil)
        _ = try await first.write { try $0.addUser(UserRecord(name: "ann", passwordHash: nil)) }
        let token = token()
        try await first.write { try $0.addEnrollmentToken(token) }
        let uses = (0..<16).map { EnrollmentTokenRecord.Use(time: 5, request: "request \($0)", device: .random()) }
        // In the order in which they end.
        let winners = try await atOnce(16) { number in
          try await (number % 2 == 0 ? first : second).write {
            try $0.useEnrollmentToken(hash: [1], by: uses[number]) ? uses[number] : nil
          }
        }.compactMap { $0 }
        expect(winners.count == 1)
        expect(try await first.read { try $0.enrollmentToken(hash: [1]) }?.use == winners.first)
        expect(try await second.write { try $0.revokeEnrollmentToken(token.id, at: 6) } == false)
        await second.close()
      }
    },
    StoreContract("an enrollment token that was revoked or has expired is not used, and is kept for a month") { place in
      try await place.withStore { store in
        _ = try await store.write { try $0.addUser(UserRecord(name: "ann", passwordHash: nil)) }
        let (revoked, expired) = (token(1), token(2))
        let use = EnrollmentTokenRecord.Use(time: 99, request: "r", device: .random())
        let late = EnrollmentTokenRecord.Use(time: 100, request: "r", device: .random())
        try await store.write {
          try $0.addEnrollmentToken(revoked)
          try $0.addEnrollmentToken(expired)
        }
        expect(try await store.write { try $0.revokeEnrollmentToken(revoked.id, at: 2) })
        expect(try await store.write { try $0.revokeEnrollmentToken(revoked.id, at: 3) } == false)
        expect(try await store.write { try $0.useEnrollmentToken(hash: [1], by: use) } == false)
        expect(try await store.write { try $0.useEnrollmentToken(hash: [2], by: late) } == false)
        expect(try await store.read { try $0.enrollmentToken(hash: [2]) } == expired)
        expect(try await store.read { try $0.enrollmentTokens(after: nil, limit: 1).records }.count == 1)
        _ = try await store.write { try $0.forgetEnded(now: 101, limit: 10) }
        expect(try await store.read { try $0.enrollmentTokens(after: nil, limit: 10).records }.count == 2)
        _ = try await store.write { try $0.forgetEnded(now: 100 + 31 * 86_400, limit: 10) }
        expect(try await store.read { try $0.enrollmentTokens(after: nil, limit: 10).records }.isEmpty)
      }
    },
    StoreContract("requested names are a device's, and another user's are known until it is revoked") { place in
      try await place.withStore { store in
        _ = try await store.write { try $0.addUser(UserRecord(name: "ann", passwordHash: nil)) }
        let (device, waiting) = (DeviceRecord.sample("ann"), Identifier.random())
        try await store.write { store in
          try store.addDevice(device)
          try store.setRequestedNames(["dns:b", "dns:a", "dns:b"], of: device.id)
          try store.setRequestedNames(["dns:c"], of: waiting)
        }
        expect(try await store.read { try $0.requestedNames(of: device.id) } == ["dns:a", "dns:b"])
        expect(try await store.read { try $0.requestedNames(of: .random()) }.isEmpty)
        expect(try await store.read { try $0.isRequestedName("dns:a", ofOtherUserThan: "ben") })
        expect(try await store.read { try $0.isRequestedName("dns:a", ofOtherUserThan: "ann") } == false)
        expect(try await store.read { try $0.isRequestedName("dns:c", ofOtherUserThan: "ben") } == false)
        try await store.write { try $0.setRequestedNames(["dns:d"], of: device.id) }
        expect(try await store.read { try $0.requestedNames(of: device.id) } == ["dns:d"])
        expect(try await store.read { try $0.isRequestedName("dns:a", ofOtherUserThan: "ben") } == false)
        expect(try await store.write { try $0.revokeDevice(device.id, at: 5, reason: 0) })
        expect(try await store.read { try $0.isRequestedName("dns:d", ofOtherUserThan: "ben") } == false)
      }
    },
    StoreContract("a registration that was not approved in time is removed with its names; another is not") { place in
      try await place.withStore { store in
        _ = try await store.write { try $0.addUser(UserRecord(name: "ann", passwordHash: nil)) }
        let (late, rejected) = (pending("late"), pending("rejected"))
        try await store.write { store in
          for device in [late, rejected] {
            expect(try store.addPendingDevice(device))
            try store.setRequestedNames(["dns:a"], of: device.id)
          }
          expect(try store.decidePendingDevice(rejected.id, .init(isApproved: false, by: .operator), at: 5))
        }
        expect(try await store.write { try $0.removeExpiredDevice(request: "late", of: "ann", now: 99) } == false)
        expect(try await store.write { try $0.removeExpiredDevice(request: "late", of: "ben", now: 100) } == false)
        expect(try await store.write { try $0.removeExpiredDevice(request: "late", of: "ann", now: 100) })
        expect(try await store.write { try $0.removeExpiredDevice(request: "rejected", of: "ann", now: 100) } == false)
        expect(try await store.read { try $0.requestedNames(of: late.id) }.isEmpty)
        expect(try await store.read { try $0.requestedNames(of: rejected.id) } == ["dns:a"])
        _ = try await store.write { try $0.forgetEnded(now: 100 + 31 * 86_400, limit: 10) }
        expect(try await store.read { try $0.requestedNames(of: rejected.id) }.isEmpty)
      }
    },
    StoreContract("a pending device is decided once, and taken once if it was approved") { place in
      try await place.withStore { store in
        _ = try await store.write { try $0.addUser(UserRecord(name: "ann", passwordHash: nil)) }
        let (one, other) = (pending("1"), pending("2"))
        expect(try await store.write { try $0.addPendingDevice(one) })
        expect(try await store.write { try $0.addPendingDevice(pending("1")) } == false)
        expect(try await store.write { try $0.addPendingDevice(other) })
        expect(try await store.read { try $0.pendingDevice(request: "1", of: "ann") } == one)
        expect(
          try await store.read { try $0.pendingDevices(of: "ann", after: nil, now: 5, limit: 9).records }.count == 2)
        expect(try await store.read { try $0.pendingDevices(of: nil, after: nil, now: 5, limit: 9).records }.count == 2)
        expect(try await store.read { try $0.pendingDevices(of: "bob", after: nil, now: 5, limit: 9).records }.isEmpty)
        expect(try await store.write { try $0.takeApprovedDevice(one.id, now: 5) } == false)
        let decided = try await atOnce(8) { number in
          try await store.write { try $0.decidePendingDevice(one.id, .init(isApproved: true, by: .operator), at: 5) }
        }
        expect(decided.filter { $0 }.count == 1)
        expect(
          try await store.write {
            try $0.decidePendingDevice(other.id, .init(isApproved: false, by: .operator), at: 100)
          } == false)
        expect(
          try await store.write { try $0.decidePendingDevice(other.id, .init(isApproved: false, by: .operator), at: 5) }
        )
        expect(try await store.write { try $0.takeApprovedDevice(other.id, now: 5) } == false)
        let taken = try await atOnce(8) { _ in try await store.write { try $0.takeApprovedDevice(one.id, now: 6) } }
        expect(taken.filter { $0 }.count == 1)
        expect(try await store.read { try $0.countPendingDevices(of: "ann", now: 6) } == 0)
      }
    },
    StoreContract("an approval is taken back by a rejection, and by the end of the device that gave it") { place in
      try await place.withStore { store in
        _ = try await store.write { try $0.addUser(UserRecord(name: "ann", passwordHash: nil)) }
        let (approver, other) = (DeviceRecord.sample(), DeviceRecord.sample())
        try await store.write {
          try $0.addDevice(approver)
          try $0.addDevice(other)
          for (device, serial) in [(approver, 1), (other, 2)] as [(DeviceRecord, UInt8)] {
            try $0.addCertificate(
              CertificateRecord(
                fingerprint: Fingerprint([UInt8](repeating: serial, count: 32)), serial: [serial], device: device.id,
                notAfter: 1000))
          }
        }
        let waiting = (0..<5).map { pending("\($0)") }
        let decisions: [PendingDeviceRecord.Decision] = [
          .init(isApproved: true, by: .device(approver.id)), .init(isApproved: true, by: .operator),
          .init(isApproved: true, by: .device(other.id)), .init(isApproved: false, by: .device(approver.id)),
        ]
        try await store.write { store in
          for device in waiting { _ = try store.addPendingDevice(device) }
          for (device, decision) in zip(waiting, decisions) {
            expect(try store.decidePendingDevice(device.id, decision, at: 5))
          }
        }
        @Sendable func found() async throws -> [PendingDeviceRecord.Decision?] {
          try await store.read { store in try waiting.map { try store.pendingDevice($0.id)?.decision } }
        }
        expect(try await found() == decisions + [nil])
        expect(
          try await store.read { try $0.pendingDevices(of: "ann", after: nil, now: 5, limit: 9).records }.count == 4)
        expect(try await store.read { try $0.countPendingDevices(of: "ann", now: 5) } == 4)
        // Approved ones are rejected, once; what was rejected is not approved.
        let no = PendingDeviceRecord.Decision(isApproved: false, by: .operator)
        let again = waiting[1].id
        let yes = decisions[1]
        expect(try await store.write { try $0.decidePendingDevice(again, yes, at: 6) } == false)
        expect(try await store.write { try $0.decidePendingDevice(again, no, at: 6) })
        expect(try await store.write { try $0.decidePendingDevice(again, no, at: 6) } == false)
        expect(try await store.write { try $0.decidePendingDevice(again, yes, at: 6) } == false)
        // The end of a device, or of a certificate, takes back what it has approved, and nothing else.
        expect(try await store.write { try $0.revokeDevice(approver.id, at: 6, reason: 5) })
        expect(try await found() == [nil, no, decisions[2], decisions[3], nil])
        let fingerprint = Fingerprint([UInt8](repeating: 2, count: 32))
        expect(try await store.write { try $0.revokeCertificate(fingerprint: fingerprint, at: 6, reason: 5) })
        expect(try await found() == [nil, no, nil, decisions[3], nil])
        expect(try await store.write { try $0.rejectPendingDevices(of: "bob", by: .operator, at: 6) } == 0)
        expect(try await store.write { try $0.rejectPendingDevices(of: "ann", by: .operator, at: 6) } == 3)
        expect(try await store.read { try $0.countPendingDevices(of: "ann", now: 6) } == 0)
      }
    },
    StoreContract("a registration that waits is found by its key, and a key of a revoked device by the key") { place in
      try await place.withStore { store in
        _ = try await store.write { try $0.addUser(UserRecord(name: "ann", passwordHash: nil)) }
        let device = DeviceRecord.sample()
        let key = device.identityKey
        var waiting = pending()
        (waiting.identityKey, waiting.nameApproval) = (key, .token)
        let kept = waiting
        _ = try await store.write { try $0.addPendingDevice(kept) }
        expect(try await store.read { try $0.pendingDevice(identityKey: key, of: "ann", now: 99) } == kept)
        expect(try await store.read { try $0.pendingDevice(identityKey: key, of: "ann", now: 100) } == nil)
        expect(try await store.read { try $0.pendingDevice(identityKey: key, of: "bob", now: 5) } == nil)
        expect(try await store.read { try $0.pendingDevice(identityKey: [1], of: "ann", now: 5) } == nil)
        try await store.write { try $0.addDevice(device) }
        expect(try await store.read { try $0.isRevoked(identityKey: key, of: "ann") } == false)
        expect(try await store.write { try $0.revokeDevice(device.id, at: 6, reason: 5) })
        expect(try await store.read { try $0.isRevoked(identityKey: key, of: "ann") })
        expect(try await store.read { try $0.isRevoked(identityKey: key, of: "bob") } == false)
        expect(try await store.read { try $0.isRevoked(identityKey: [1], of: "ann") } == false)
      }
    },
    StoreContract("who vouches for a device's name is kept, and renaming it is the operator's word") { place in
      try await place.withStore { store in
        _ = try await store.write { try $0.addUser(UserRecord(name: "ann", passwordHash: nil)) }
        for approval in [nil, .token, .operator] as [NameApproval?] {
          var device = DeviceRecord.sample()
          device.nameApproval = approval
          let kept = device
          try await store.write { try $0.addDevice(kept) }
          expect(try await store.read { try $0.device(kept.id)?.nameApproval } == approval)
          expect(try await store.write { try $0.renameDevice(kept.id, to: "other") })
          expect(try await store.read { try $0.device(kept.id)?.nameApproval } == .operator)
        }
      }
    },
    StoreContract("a profile is what was defined last, and a device has its profile") { place in
      try await place.withStore { store in
        _ = try await store.write { try $0.addUser(UserRecord(name: "ann", passwordHash: nil)) }
        var profile = DeviceProfile(name: "p")
        profile.ways = [.token]
        profile.alternativeNames = ["dns:{device}.example"]
        profile.approval = .operator
        try await store.write { try $0.setProfile(DeviceProfile(name: "p")) }
        let last = profile
        try await store.write { try $0.setProfile(last) }
        expect(try await store.read { try $0.profile(named: "p") } == last)
        expect(try await store.read { try $0.profiles() } == [last])
        var device = DeviceRecord.sample()
        device.profile = "p"
        let kept = device
        try await store.write { try $0.addDevice(kept) }
        expect(try await store.read { try $0.device(kept.id) }?.profile == "p")
        expect(try await store.read { try $0.countUses(ofProfile: "p", now: 5) } == 1)
        _ = try await store.write { try $0.revokeDevice(kept.id, at: 6, reason: 5) }
        try await store.write { try $0.addEnrollmentToken(token()) }
        _ = try await store.write { try $0.addPendingDevice(pending()) }
        expect(try await store.read { try $0.countUses(ofProfile: "p", now: 5) } == 2)
        expect(try await store.read { try $0.countUses(ofProfile: "p", now: 100) } == 0)
        expect(try await store.write { try $0.removeProfile(named: "p") })
        expect(try await store.write { try $0.removeProfile(named: "p") } == false)
      }
    },
  ]
}
