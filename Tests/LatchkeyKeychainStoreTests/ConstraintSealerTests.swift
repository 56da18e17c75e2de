import Crypto
import LatchkeyByteCoding
import LatchkeyKeychainModel
import Testing
@testable import LatchkeyUserPresence

@testable import LatchkeyKeychainStore

@Suite("Secrets under access controls") struct ConstraintSealerTests {
  private static let passcode = RingFixture.passcode
  private static let password = Array("the application's own".utf8)
  private let fixture: RingFixture
  private let ring: KeyRing
  private let sealer: ConstraintSealer
  private let secret = Array("thirty-two bytes of a secret key".utf8)
  private let binding: [UInt8] = [1, 2, 3]

  init() throws {
    fixture = try RingFixture(passcode: Self.passcode)
    ring = try fixture.ring()
    try ring.unlock(passcode: Self.passcode)
    sealer = ConstraintSealer(ring: ring)
  }

  enum Kind: CaseIterable {
    case plain, passcode, password, both

    var control: StoredControl {
      var flags: AccessControl.Flags = self == .plain ? .biometryCurrentSet : []
      if self == .passcode || self == .both { flags.insert(.devicePasscode) }
      if self == .password || self == .both { flags.insert(.applicationPassword) }
      return StoredControl(
        control: AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: flags),
        enrollment: self == .plain ? [9, 9] : nil, isBoundToPasscode: self == .passcode || self == .both)
    }
  }

  private func sealed(_ control: StoredControl, _ secret: [UInt8]? = nil) throws(StoreError) -> [UInt8] {
    try sealer.seal(
      secret ?? self.secret,
      under: PreparedControl(
        stored: control, presencePublicKey: ring.presencePublicKey, applicationPassword: Self.password),
      binding: binding)
  }

  private func authorization() throws -> Authorization {
    Authorization(
      presenceKey: try ring.presenceKey(after: ring.attempt(Self.passcode)), applicationPassword: Self.password)
  }

  @Test(
    "A sealed secret opens with the factors of its constraints, and is never in the clear", arguments: Kind.allCases)
  func roundTrip(_ kind: Kind) throws {
    for secret in [secret, [], [UInt8](repeating: 7, count: 1 << 16)] {
      let sealed = try sealed(kind.control, secret)
      #expect(secret.isEmpty || !sealed.contains(secret))
      #expect(try sealer.open(sealed, under: kind.control, with: authorization(), binding: binding) == secret)
    }
    #expect(try sealed(kind.control) != sealed(kind.control))
    #expect(
      storeError { try sealed(kind.control, [UInt8](repeating: 0, count: 1 << 16 + 1)) } != nil)
  }

  @Test("A missing or wrong factor opens nothing") func refused() throws {
    let whole = try authorization()
    func failure(_ kind: Kind, _ authorization: Authorization) throws -> StoreError? {
      let sealed = try sealed(kind.control)
      return storeError { try sealer.open(sealed, under: kind.control, with: authorization, binding: binding) }
    }
    #expect(try failure(.plain, .none) == nil)
    for kind in [Kind.passcode, .both] {
      var given = whole
      given.presenceKey = nil
      guard case .presence(.notInteractive)? = try failure(kind, given) else {
        Issue.record("without the passcode")
        continue
      }
      given.presenceKey = Curve25519.KeyAgreement.PrivateKey()
      guard case .invalidated? = try failure(kind, given) else {
        Issue.record("with another key")
        continue
      }
    }
    for kind in [Kind.password, .both] {
      var given = whole
      for missing in [nil, []] as [[UInt8]?] {
        given.applicationPassword = missing
        guard case .presence(.credentialMissing)? = try failure(kind, given) else {
          Issue.record("without the password")
          continue
        }
      }
      for wrong in [Self.password + [0], Array(Self.password.dropLast()), [0]] {
        given.applicationPassword = wrong
        guard case .presence(.authenticationFailed(let text))? = try failure(kind, given) else {
          Issue.record("with a wrong password")
          continue
        }
        #expect(!text.contains(String(decoding: wrong, as: UTF8.self)))
      }
    }
  }

  @Test("Sealing requires the factors of the constraints") func sealingRefused() throws {
    func failure(_ kind: Kind, _ key: Curve25519.KeyAgreement.PublicKey?, _ password: [UInt8]?) -> StoreError? {
      storeError {
        try sealer.seal(
          secret,
          under: PreparedControl(stored: kind.control, presencePublicKey: key, applicationPassword: password),
          binding: binding)
      }
    }
    #expect(failure(.passcode, nil, nil) == .passcodeNotSet)
    for password in [nil, []] as [[UInt8]?] {
      guard case .presence(.credentialMissing)? = failure(.password, nil, password) else {
        Issue.record("sealed without a password")
        return
      }
    }
  }

  @Test("a bit that changed anywhere, a prefix and a longer text open nothing", arguments: Kind.allCases)
  func altered(_ kind: Kind) throws {
    let sealed = try sealed(kind.control)
    let authorization = try authorization()
    func damaged(_ bytes: [UInt8]) -> Bool {
      storeError { try sealer.open(bytes, under: kind.control, with: authorization, binding: binding) }.isDamaged
    }
    for index in sealed.indices {
      var bytes = sealed
      bytes[index] ^= 1 << UInt8(index % 8)
      #expect(damaged(bytes), "\(index)")
      #expect(damaged(Array(sealed.prefix(index))))
    }
    #expect(damaged(sealed + [0]))
    #expect(damaged([UInt8](repeating: 1, count: 1 << 20)))
  }

  @Test("it opens under no other binding, control, enrollment, protection or keychain") func bound() throws {
    let authorization = try authorization()
    for kind in Kind.allCases {
      let sealed = try sealed(kind.control)
      func damaged(_ control: StoredControl, _ binding: [UInt8]? = nil, _ sealer: ConstraintSealer? = nil) -> Bool {
        storeError {
          try (sealer ?? self.sealer).open(
            sealed, under: control, with: authorization, binding: binding ?? self.binding)
        }.isDamaged
      }
      #expect(damaged(kind.control, [1, 2]) && damaged(kind.control, []))
      var control = kind.control
      control.control.protection = .afterFirstUnlockThisDeviceOnly
      #expect(damaged(control))
      control = kind.control
      control.control.flags.formSymmetricDifference(.privateKeyUsage)
      #expect(damaged(control))
      control = kind.control
      control.control.flags.formSymmetricDifference(.applicationPassword)
      #expect(damaged(control))
      control = kind.control
      control.isBoundToPasscode.toggle()
      #expect(damaged(control))
      control = kind.control
      control.enrollment = control.enrollment == nil ? [9, 9] : [9, 8]
      #expect(damaged(control))
      let elsewhere = try RingFixture(passcode: Self.passcode).ring()
      try elsewhere.unlock(passcode: Self.passcode)
      #expect(damaged(kind.control, nil, ConstraintSealer(ring: elsewhere)))
    }
  }

  @Test("the protection's key must be there, to seal and to open") func locked() throws {
    let sealed = try Kind.allCases.map { try self.sealed($0.control) }
    let authorization = try authorization()
    ring.lock()
    for (kind, sealed) in zip(Kind.allCases, sealed) {
      let locked = StoreError.locked(.whenUnlockedThisDeviceOnly, .locked)
      #expect(throws: locked) {
        try sealer.open(sealed, under: kind.control, with: authorization, binding: binding)
      }
      #expect(throws: locked) { try self.sealed(kind.control) }
    }
  }

  @Test("A passcode removed and set again does not open secrets bound to the first one") func removedPasscode() throws {
    let sealed = try sealed(Kind.passcode.control)
    try ring.adopt(ring.removingPasscode(current: ring.attempt(Self.passcode)))
    try ring.adopt(ring.settingPasscode(Self.passcode, current: nil))
    let authorization = try authorization()
    #expect(
      storeError {
        try sealer.open(sealed, under: Kind.passcode.control, with: authorization, binding: binding)
      }.isDamaged, "its class has other keys")
  }

  @Test("a cost below the floor is refused before anything is derived") func loweredCost() throws {
    let sealed = try sealed(Kind.password.control)
    let strict = ConstraintSealer(ring: try KeyRing.create(storeUUID: fixture.uuid, root: fixture.root).ring)
    #expect(
      storeError {
        try strict.open(sealed, under: Kind.password.control, with: authorization(), binding: binding)
      }.isDamaged)
    #expect(throws: ByteCodingError.self) { try ConstraintHeader.decode(sealed) }
    let decoded = try ConstraintHeader.decode(sealed, minimumRounds: 16)
    #expect(decoded.header.password?.rounds == 16)
  }

  @Test("the header's bytes: version, kinds, epoch, keys, password") func header() throws {
    let plain = ConstraintHeader(epoch: 0x0102)
    #expect(Hexadecimal.encode(plain.encode()) == "010002010000")
    let keys = ConstraintHeader.Recipient(
      presenceKey: [UInt8](repeating: 0xAA, count: 32), ephemeralKey: [UInt8](repeating: 0xBB, count: 32))
    let password = ScryptParameters(rounds: 1 << 15, salt: [UInt8](repeating: 0xCC, count: 32))
    let full = ConstraintHeader(epoch: 1, recipient: keys, password: password)
    let text =
      "010301000000" + String(repeating: "aa", count: 32) + String(repeating: "bb", count: 32)
      + "01008000000800000001000000"
      + String(repeating: "cc", count: 32)
    #expect(Hexadecimal.encode(full.encode()) == text)
    let (header, rest) = try ConstraintHeader.decode(full.encode() + [7, 8])
    #expect(header == full && Array(rest) == [7, 8])
    let bytes = full.encode()
    for count in bytes.indices {
      #expect(throws: ByteCodingError.self) { try ConstraintHeader.decode(Array(bytes.prefix(count))) }
    }
    for wrong in ["020001000000", "000001000000", "010401000000", "018001000000"] {
      #expect(throws: ByteCodingError.self) { try ConstraintHeader.decode(Hexadecimal.decode(wrong)) }
    }
  }

  @Test("A secret's authenticity is verified without opening it") func authentic() throws {
    for kind in Kind.allCases {
      var sealed = try sealed(kind.control)
      #expect(try sealer.isAuthentic(sealed, under: kind.control, binding: binding))
      #expect(try !sealer.isAuthentic(sealed, under: kind.control, binding: [0]))
      let recipient = try sealer.recipient(of: sealed, under: kind.control)
      #expect(
        recipient == (kind.control.isBoundToPasscode ? ring.presencePublicKey.map { Array($0.rawRepresentation) } : nil)
      )
      sealed[sealed.count - 1] ^= 1
      #expect(try !sealer.isAuthentic(sealed, under: kind.control, binding: binding))
    }
  }
}
