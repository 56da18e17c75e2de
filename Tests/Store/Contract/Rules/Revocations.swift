import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import Testing

extension EnrollmentStore {
  /// A device of ann's with so many certificates.
  fileprivate func addDevice(certificates count: Int) async throws -> (DeviceRecord, [CertificateRecord]) {
    let device = DeviceRecord.sample()
    let certificates = (0..<count).map { CertificateRecord.sample(of: device.id, notAfter: 1000 + Int64($0)) }
    try await write { transaction in
      _ = try transaction.addUser(.ann)
      try transaction.addDevice(device)
      for certificate in certificates { try transaction.addCertificate(certificate) }
    }
    return (device, certificates)
  }
}

extension StoreContract {
  static let revocations = [
    StoreContract("a device goes with all its certificates, once, and no other's") { place in
      try await place.withStore { store in
        let (device, certificates) = try await store.addDevice(certificates: 3)
        let (other, others) = try await store.addDevice(certificates: 1)
        expect(try await store.write { try $0.revokeDevice(device.id, at: 5, reason: 1) })
        expect(try await !store.write { try $0.revokeDevice(device.id, at: 6, reason: 4) })
        expect(try await store.read { try $0.device(device.id)?.revoked } == 5)
        let found = try await store.read { try $0.certificates(of: device.id) }
        expect(found.map(\.fingerprint) == certificates.map(\.fingerprint))
        expect(found.allSatisfy { $0.revoked == 5 && $0.reason == 1 })
        expect(try await store.read { try $0.device(other.id) } == other)
        expect(try await store.read { try $0.certificates(of: other.id) } == others)
      }
    },
    StoreContract("a certificate goes alone, once, and keeps time and reason when its device follows") { place in
      try await place.withStore { store in
        let (device, certificates) = try await store.addDevice(certificates: 2)
        let first = certificates[0].fingerprint
        expect(try await store.write { try $0.revokeCertificate(fingerprint: first, at: 5, reason: 4) })
        expect(try await !store.write { try $0.revokeCertificate(fingerprint: first, at: 6, reason: 1) })
        expect(try await store.read { try $0.device(device.id)?.revoked } == nil)
        expect(try await store.write { try $0.revokeDevice(device.id, at: 7, reason: 1) })
        let found = try await store.read { try $0.certificates(of: device.id) }
        expect(found.map(\.revoked) == [5, 7])
        expect(found.map(\.reason) == [4, 1])
      }
    },
    StoreContract("what is not there cannot be revoked") { place in
      try await place.withStore { store in
        expect(try await !store.write { try $0.revokeDevice(.random(), at: 5, reason: 1) })
        expect(
          try await !store.write { try $0.revokeCertificate(fingerprint: Fingerprint(bytes(32)), at: 5, reason: 1) })
        expect(try await store.read { try $0.revocationEpoch() } == 0)
      }
    },
    StoreContract("a revocation list holds what was revoked and has not ended, by serial number") { place in
      try await place.withStore { store in
        let (device, certificates) = try await store.addDevice(certificates: 4)
        _ = try await store.addDevice(certificates: 2)
        expect(try await store.read { try $0.revokedCertificates(now: 0) } == [])
        expect(try await store.write { try $0.revokeDevice(device.id, at: 5, reason: 1) })
        let found = try await store.read { try $0.revokedCertificates(now: 1001) }
        let expected = certificates[2...].map(\.serial).sorted { $0.lexicographicallyPrecedes($1) }
        expect(found.map(\.serial) == expected)
        expect(try await store.read { try $0.revokedCertificates(now: 1003) } == [])
      }
    },
    StoreContract("the epoch rises with each revocation, and with nothing else") { place in
      try await place.withStore { store in
        let (device, certificates) = try await store.addDevice(certificates: 2)
        expect(try await store.read { try $0.revocationEpoch() } == 0)
        _ = try await store.write {
          try $0.revokeCertificate(fingerprint: certificates[0].fingerprint, at: 5, reason: 1)
        }
        expect(try await store.read { try $0.revocationEpoch() } == 1)
        _ = try await store.write {
          try $0.revokeCertificate(fingerprint: certificates[0].fingerprint, at: 5, reason: 1)
        }
        expect(try await store.read { try $0.revocationEpoch() } == 1)
        _ = try await store.write { try $0.revokeDevice(device.id, at: 5, reason: 1) }
        expect(try await store.read { try $0.revocationEpoch() } == 2)
        await expect(throws: Refusal()) {
          try await store.write { transaction in
            try transaction.addDevice(.sample())
            let other = DeviceRecord.sample()
            try transaction.addDevice(other)
            _ = try transaction.revokeDevice(other.id, at: 5, reason: 1)
            throw Refusal()
          }
        }
        expect(try await store.read { try $0.revocationEpoch() } == 2)
      }
    },
    StoreContract("of many who revoke at once, each device goes once, and each counts") { place in
      try await place.withStore { store in
        var devices: [DeviceRecord] = []
        for _ in 0..<16 { devices.append(try await store.addDevice(certificates: 1).0) }
        let all = devices
        let results = try await atOnce { number in
          try await store.write { try $0.revokeDevice(all[number % 16].id, at: 5, reason: 1) }
        }
        expect(results.filter { $0 }.count == 16)
        expect(try await store.read { try $0.revocationEpoch() } == 16)
      }
    },
    StoreContract("a revocation is known to the next server that opens, and the epoch is not less") { place in
      let device = try await place.withStore { store in
        let (device, _) = try await store.addDevice(certificates: 1)
        _ = try await store.write { try $0.revokeDevice(device.id, at: 5, reason: 1) }
        return device
      }
      try await place.withStore { store in
        expect(try await store.read { try $0.device(device.id)?.revoked } == 5)
        expect(try await store.read { try $0.revocationEpoch() } == 1)
      }
    },
  ]
}
