import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import Testing

extension StoreContract {
  static let devices = [
    StoreContract("a device is given back as it was added") { place in
      try await place.withStore { store in
        let full = DeviceRecord.sample(created: 1)
        var bare = DeviceRecord.sample(created: 2)
        (bare.approvalKey, bare.approvalEvidence, bare.identityEvidence, bare.name) = (nil, nil, nil, "")
        let second = bare
        try await store.write {
          _ = try $0.addUser(.ann)
          try $0.addDevice(full)
          try $0.addDevice(second)
        }
        expect(try await store.read { try $0.device(full.id) } == full)
        expect(try await store.read { try $0.device(second.id) } == second)
        expect(try await store.read { try $0.device(.random()) } == nil)
      }
    },
    StoreContract("a device is somebody's, and there once") { place in
      try await place.withStore { store in
        let device = DeviceRecord.sample()
        await expectMisuse("a device of nobody") { try await store.write { try $0.addDevice(device) } }
        try await store.write {
          _ = try $0.addUser(.ann)
          try $0.addDevice(device)
        }
        await expectMisuse("a device of the same name") { try await store.write { try $0.addDevice(device) } }
      }
    },
    StoreContract("a user's devices come oldest first, the revoked ones too") { place in
      try await place.withStore { store in
        let samples = [3, 1, 2].map { DeviceRecord.sample(created: $0) }
        try await store.write { transaction in
          _ = try transaction.addUser(.ann)
          _ = try transaction.addUser(.ben)
          for device in samples { try transaction.addDevice(device) }
          try transaction.addDevice(.sample("ben"))
          _ = try transaction.revokeDevice(samples[2].id, at: 9, reason: 1)
        }
        let found = try await store.read { try $0.devices(of: "ann") }
        expect(found.map(\.created) == [1, 2, 3])
        expect(found.map(\.revoked) == [nil, 9, nil])
        expect(try await store.read { try $0.devices(of: "nobody") } == [])
      }
    },
    StoreContract("a user's devices count that are not revoked, and have a certificate that counts or an approval key")
    { place in
      try await place.withStore { store in
        func device(_ user: UserName = "ann", approves: Bool = false) -> DeviceRecord {
          var device = DeviceRecord.sample(user)
          if !approves { device.approvalKey = nil }
          return device
        }
        let (live, bare, approving, ended, revoked, lost) = (
          device(), device(), device(approves: true), device(), device(approves: true), device()
        )
        let certificate = CertificateRecord.sample(of: lost.id)
        try await store.write { transaction in
          _ = try transaction.addUser(.ann)
          _ = try transaction.addUser(.ben)
          for device in [live, bare, approving, ended, revoked, lost] { try transaction.addDevice(device) }
          try transaction.addDevice(.sample("ben"))
          for device in [live, live, revoked] { try transaction.addCertificate(.sample(of: device.id)) }
          try transaction.addCertificate(.sample(of: ended.id, notAfter: 500))
          try transaction.addCertificate(certificate)
        }
        expect(try await store.read { try $0.countDevices(of: "ann", now: 499) } == 5)
        try await store.write { transaction in
          _ = try transaction.revokeDevice(revoked.id, at: 9, reason: 1)
          _ = try transaction.revokeCertificate(fingerprint: certificate.fingerprint, at: 9, reason: 4)
        }
        expect(try await store.read { try $0.countDevices(of: "ann", now: 499) } == 3)
        expect(try await store.read { try $0.countDevices(of: "ann", now: 500) } == 2)
        expect(try await store.read { try $0.countDevices(of: "ann", now: 1000) } == 1)
        expect(try await store.read { try $0.countDevices(of: "nobody", now: 0) } == 0)
      }
    },
    StoreContract("keys change, and nothing else does: not the owner, and not that it was revoked") { place in
      try await place.withStore { store in
        let device = DeviceRecord.sample()
        try await store.write {
          _ = try $0.addUser(.ann)
          _ = try $0.addUser(.ben)
          try $0.addDevice(device)
          _ = try $0.revokeDevice(device.id, at: 5, reason: 1)
        }
        var changed = device
        (changed.user, changed.revoked, changed.identityKey, changed.approvalKey) = ("ben", nil, bytes(65), nil)
        (changed.approvalEvidence, changed.identityEvidence) = (nil, "none")
        let update = changed
        try await store.write { try $0.updateDevice(update) }
        (changed.user, changed.revoked) = ("ann", 5)
        expect(try await store.read { try $0.device(device.id) } == changed)
        await expectMisuse("a device that is not there") {
          try await store.write { try $0.updateDevice(.sample()) }
        }
      }
    },
  ]

  static let certificates = [
    StoreContract("a certificate is found by its fingerprint, with its device") { place in
      try await place.withStore { store in
        let devices = [DeviceRecord.sample(), .sample()]
        let certificates = devices.map { CertificateRecord.sample(of: $0.id) }
        try await store.write { transaction in
          _ = try transaction.addUser(.ann)
          for device in devices { try transaction.addDevice(device) }
          for certificate in certificates { try transaction.addCertificate(certificate) }
        }
        for (certificate, device) in zip(certificates, devices) {
          let found = try await store.read { try $0.certificate(fingerprint: certificate.fingerprint) }
          expect(found?.certificate == certificate)
          expect(found?.device == device)
        }
        expect(try await store.read { try $0.certificate(fingerprint: Fingerprint(bytes(32)))?.device } == nil)
      }
    },
    StoreContract("a certificate is a device's, and fingerprint and serial number are there once") { place in
      try await place.withStore { store in
        let device = DeviceRecord.sample()
        let certificate = CertificateRecord.sample(of: device.id)
        await expectMisuse("a certificate of no device") {
          try await store.write { try $0.addCertificate(certificate) }
        }
        try await store.write {
          _ = try $0.addUser(.ann)
          try $0.addDevice(device)
          try $0.addCertificate(certificate)
        }
        var sameSerial = CertificateRecord.sample(of: device.id)
        sameSerial.serial = certificate.serial
        for twin in [certificate, sameSerial] {
          await expectMisuse("a twin") { try await store.write { try $0.addCertificate(twin) } }
        }
        expect(try await store.read { try $0.certificates(of: device.id) } == [certificate])
      }
    },
    StoreContract("a device's certificates come by their end, the newest last") { place in
      try await place.withStore { store in
        let device = DeviceRecord.sample()
        try await store.write { transaction in
          _ = try transaction.addUser(.ann)
          try transaction.addDevice(device)
          for end: Int64 in [300, 100, 200] {
            try transaction.addCertificate(.sample(of: device.id, notAfter: end))
          }
        }
        expect(try await store.read { try $0.certificates(of: device.id).map(\.notAfter) } == [100, 200, 300])
        expect(try await store.read { try $0.certificates(of: .random()) } == [])
      }
    },
  ]
}
