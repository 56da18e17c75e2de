import CoreBluetooth
import Foundation
import LatchkeyBluetoothEmulator
import LatchkeyProvisioningProtocol
import Testing

@testable import LatchkeyProvisioning

/// An app and a device of each protocol, each with a host and a controller of its own, over a virtual radio.
@Suite(.timeLimit(.minutes(5))) struct ProvisioningSessionTests {
  static let protocols = ProvisioningProtocol.allCases

  private func device(
    _ air: TestAir, _ kind: ProvisioningProtocol, _ joiner: ScriptedJoiner = ScriptedJoiner(),
    change: (inout ProvisionableDeviceOptions) -> Void = { _ in }
  ) throws -> RunningProvisionableDevice {
    var options = ProvisionableDeviceOptions(code: try ProvisioningCode("83629174"))
    options.protocols = [kind]
    change(&options)
    return RunningProvisionableDevice(
      ProvisionableDevice(
        name: "PROV_Lamp", options: options, joiner: joiner, managerOptions: air.options, scheduler: SlowScheduler()))
  }

  private func app(_ air: TestAir, accepts: Set<ProvisioningProtocol>? = nil) -> Provisioner {
    var options = ProvisionerOptions()
    options.accepts = accepts ?? Set(ProvisioningProtocol.allCases)
    return Provisioner(options: options, managerOptions: air.options, scheduler: SlowScheduler())
  }

  private func credentials(
    _ ssid: [UInt8] = ScriptedJoiner.home, _ passphrase: [UInt8] = ScriptedJoiner.passphrase
  ) throws -> NetworkCredentials {
    try NetworkCredentials(ssid: ssid, passphrase: passphrase)
  }

  private func failure(_ body: () async throws(ProvisioningFailure) -> Void) async -> ProvisioningFailure? {
    do throws(ProvisioningFailure) {
      try await body()
      return nil
    } catch {
      return error
    }
  }

  @Test("An app finds the device, opens a session with its code, and provisions it", arguments: protocols)
  func provisions(_ kind: ProvisioningProtocol) async throws {
    let air = TestAir()
    let joiner = ScriptedJoiner()
    let device = try device(air, kind, joiner)
    await device.isAdvertising()
    let app = app(air)
    let found = try await app.find { $0.name == "PROV_Lamp" }
    #expect(found.protocols == [kind])
    let isScanned = kind != .legacy
    let session = app.session(with: found, code: try ProvisioningCode("83629174"))
    let opened = try await session.opened()
    #expect(opened.protocol == kind)
    #expect(opened.capabilities.contains(.scan) == isScanned)
    if isScanned {
      #expect(try await session.networks().map(\.name) == ["Home", "Cafe"])
    }
    let joined = try await session.provision(try credentials())
    #expect(joined.ssid == ScriptedJoiner.home)
    await session.close()
    #expect(joiner.requests.contains("join Home"))
    await device.event { if case .closed = $0 { true } else { false } }
    #expect(await device.stop() == nil)
  }

  @Test("A wrong password is told, and the next try is in the same session", arguments: protocols)
  func wrongPassword(_ kind: ProvisioningProtocol) async throws {
    let air = TestAir(mtu: 23)
    let device = try device(air, kind)
    await device.isAdvertising()
    let app = app(air)
    let session = app.session(
      with: try await app.find { $0.name == "PROV_Lamp" }, code: try ProvisioningCode("83629174"))
    let wrong = await failure { () throws(ProvisioningFailure) in
      guard let credentials = try? credentials(ScriptedJoiner.home, [1]) else { return }
      try await session.provision(credentials)
    }
    guard case .joinFailed = wrong else {
      Issue.record("\(String(describing: wrong))")
      return
    }
    try await session.provision(try credentials())
    await session.close()
    await device.stop()
  }

  /// An app's session with the one device in reach.
  private func session(
    _ app: Provisioner, code: String? = "83629174"
  ) async throws -> ProvisioningSession {
    let found = try await app.find { $0.name == "PROV_Lamp" }
    return app.session(with: found, code: try code.map { try ProvisioningCode($0) })
  }

  @Test("A session proves what its protocol proves") func assurances() async throws {
    let expected: [ProvisioningProtocol: ProvisioningAssurance] = [
      .secure: .codeAndPostQuantum, .espressif: .code, .legacy: .encryptedOnly, .improv: .none,
    ]
    for (kind, assurance) in expected {
      let air = TestAir()
      let device = try device(air, kind)
      await device.isAdvertising()
      let session = try await session(app(air))
      #expect(try await session.opened().assurance == assurance)
      await session.close()
      await device.stop()
    }
  }

  @Test(
    "A wrong code opens nothing and is counted, and the right one gives its own try back alone",
    arguments: [ProvisioningProtocol.secure, .espressif])
  func wrongCode(_ kind: ProvisioningProtocol) async throws {
    let air = TestAir()
    let store = MemoryDeviceStore()
    let device = try device(air, kind) { $0.store = store }
    await device.isAdvertising()
    let app = app(air)
    let wrong = try await session(app, code: "72519063")
    #expect(await failure { () throws(ProvisioningFailure) in try await wrong.opened() } == .wrongCode)
    #expect(store.stored?.failedAttempts == 1)
    await device.event { if case .wrongCode(kind, _, attemptsLeft: 9) = $0 { true } else { false } }
    // The next try is not before a second has passed: a wait that the device's clock measures.
    var opened: OpenedSession?
    while opened == nil {
      let right = try await session(app)
      opened = try? await right.opened()
      await right.close()
    }
    #expect(store.stored?.failedAttempts == 1)
    await device.stop()
  }

  @Test("A device that was tried ten times stays locked over restarts, for every protocol, until its button is pressed")
  func lockedDevice() async throws {
    var state = ProvisionableDeviceState()
    state.failedAttempts = 10
    let store = MemoryDeviceStore(state)
    for kind in [ProvisioningProtocol.secure, .espressif] {
      let air = TestAir()
      let device = try device(air, kind) { $0.store = store }
      await device.isAdvertising()
      let app = app(air)
      let refused = try await session(app)
      #expect(await failure { () throws(ProvisioningFailure) in try await refused.opened() } != nil)
      await device.stop()
    }
    let air = TestAir()
    let device = try device(air, .secure) { $0.store = store }
    await device.isAdvertising()
    device.device.press()
    await device.event { if case .pressed = $0 { true } else { false } }
    let session = try await session(app(air))
    try await session.opened()
    await session.close()
    await device.stop()
  }

  @Test(
    "Beside the secure protocol, another one is open only after the button",
    arguments: [ProvisioningProtocol.espressif, .improv, .legacy])
  func downgrade(_ kind: ProvisioningProtocol) async throws {
    let air = TestAir()
    let joiner = ScriptedJoiner()
    let device = try device(air, kind, joiner) { $0.protocols = Set(ProvisioningProtocol.allCases) }
    await device.isAdvertising()
    let app = app(air, accepts: [kind])
    let found = try await app.find { $0.name == "PROV_Lamp" }
    var hidden = found
    hidden.espressifServices = ProvisioningServices.espressif
    let closed = app.session(with: hidden, code: try ProvisioningCode("83629174"))
    let credentials = try credentials()
    // Improv's devices say that they wait for the button; the app waits with them.
    let isWaiting = Task {
      for await step in closed.progress where step == .needsAuthorization { return true }
      return false
    }
    let attempt = Task { await failure { () throws(ProvisioningFailure) in try await closed.provision(credentials) } }
    if kind == .improv {
      #expect(await isWaiting.value)
      #expect(joiner.requests.isEmpty)
      device.device.press()
      #expect(await attempt.value == nil)
    } else {
      #expect(await attempt.value != nil)
      #expect(joiner.requests.isEmpty)
      device.device.press()
      await device.event { if case .pressed = $0 { true } else { false } }
      let open = app.session(with: hidden, code: try ProvisioningCode("83629174"))
      try await open.provision(credentials)
      await open.close()
    }
    await closed.close()
    #expect(joiner.requests.contains("join Home"))
    await device.stop()
  }

  @Test("An app that was there before comes back without the code, and not with another device's record")
  func resumption() async throws {
    let air = TestAir()
    let store = MemoryDeviceStore()
    let known = TransientKnownDevices()
    var options = ProvisionerOptions()
    options.knownDevices = known
    let app = Provisioner(options: options, managerOptions: air.options, scheduler: SlowScheduler())
    for round in 0..<4 {
      // The device restarts each time.
      let device = try device(air, .secure) { $0.store = store }
      await device.isAdvertising()
      let session = try await session(app, code: round == 0 ? "83629174" : nil)
      try await session.opened()
      _ = try await session.networks()
      await session.close()
      await device.stop()
    }
    // As new: it knows nobody.
    let other = try device(air, .secure)
    await other.isAdvertising()
    let session = try await session(app, code: nil)
    #expect(await failure { () throws(ProvisioningFailure) in try await session.opened() } != nil)
    await other.stop()
  }

  @Test(
    "While a device cannot store the tries, no code opens it", arguments: [ProvisioningProtocol.secure, .espressif])
  func fullDisk(_ kind: ProvisioningProtocol) async throws {
    let air = TestAir()
    let store = MemoryDeviceStore()
    let device = try device(air, kind) { $0.store = store }
    await device.isAdvertising()
    store.setFull(true)
    let app = app(air)
    let refused = try await session(app)
    #expect(await failure { () throws(ProvisioningFailure) in try await refused.opened() } != nil)
    store.setFull(false)
    var opened: OpenedSession?
    while opened == nil {
      let next = try await session(app)
      opened = try? await next.opened()
      await next.close()
    }
    await device.stop()
  }

  @Test("Over the secure protocol a device is told where to enroll, in the session that provisions it")
  func enrollment()
    async throws
  {
    let air = TestAir()
    let device = try device(air, .secure) { options in
      options.enroll = { enrollment in
        guard enrollment.url == "https://enroll.example", enrollment.withToken({ Array($0) == [7, 8] }) else {
          throw ProvisioningEnrollmentError.outOfBounds
        }
        return .enrolled("lamp-1")
      }
    }
    await device.isAdvertising()
    let session = try await session(app(air))
    let enrollment = try ProvisioningEnrollment(url: "https://enroll.example", token: [7, 8])
    #expect(try await session.enroll(enrollment) == .enrolled("lamp-1"))
    let wrong = try ProvisioningEnrollment(url: "https://enroll.example", token: [7])
    #expect(await failure { () throws(ProvisioningFailure) in _ = try await session.enroll(wrong) } != nil)
    try await session.provision(try credentials())
    await session.close()
    await device.stop()
    #expect(throws: ProvisioningEnrollmentError.outOfBounds) {
      try ProvisioningEnrollment(url: "http://enroll.example", token: [])
    }
  }

  @Test("An app hears why a device has not enrolled, and may try again in the same session")
  func failedEnrollment() async throws {
    let air = TestAir()
    let device = try device(air, .secure) { options in
      options.enroll = { enrollment in
        let reason = EnrollmentFailure(rawValue: enrollment.withToken { $0.first ?? 0 })
        if let reason { throw reason }
        return .enrolled("lamp-1")
      }
    }
    await device.isAdvertising()
    let session = try await session(app(air))
    try await session.provision(try credentials())
    for reason in EnrollmentFailure.allCases {
      let given = try ProvisioningEnrollment(url: "https://enroll.example", token: [reason.rawValue])
      let failed = await failure { () throws(ProvisioningFailure) in _ = try await session.enroll(given) }
      #expect(failed == .enrollmentFailed(reason))
    }
    let right = try ProvisioningEnrollment(url: "https://enroll.example", token: [0xFF])
    #expect(try await session.enroll(right) == .enrolled("lamp-1"))
    await session.close()
    await device.stop()
  }

  @Test("A device that takes no enrollment says so, and the session goes on") func noEnrollment() async throws {
    let air = TestAir()
    let device = try device(air, .secure)
    await device.isAdvertising()
    let session = try await session(app(air))
    let given = try ProvisioningEnrollment(url: "https://enroll.example", token: [7, 8])
    let refused = await failure { () throws(ProvisioningFailure) in _ = try await session.enroll(given) }
    guard case .unsupported = refused else {
      Issue.record("\(String(describing: refused))")
      return
    }
    try await session.provision(try credentials())
    await session.close()
    await device.stop()
  }

  @Test("No other protocol carries an enrollment", arguments: [ProvisioningProtocol.espressif, .improv, .legacy])
  func enrollmentByWeakerProtocols(_ kind: ProvisioningProtocol) async throws {
    let air = TestAir()
    let device = try device(air, kind)
    await device.isAdvertising()
    let session = try await session(app(air))
    let enrollment = try ProvisioningEnrollment(url: "https://enroll.example", token: [7, 8])
    let refused = await failure { () throws(ProvisioningFailure) in _ = try await session.enroll(enrollment) }
    guard case .unsupported = refused else {
      Issue.record("\(String(describing: refused))")
      return
    }
    await session.close()
    await device.stop()
  }

  @Test("An endpoint of the maker's answers", arguments: [ProvisioningProtocol.secure, .espressif])
  func customEndpoints(_ kind: ProvisioningProtocol) async throws {
    let air = TestAir(mtu: 23)
    let device = try device(air, kind) { options in
      options.endpoints = ["echo": { Data($0.reversed()) }, "broken": { _ in throw ProvisioningCodeError.empty }]
    }
    await device.isAdvertising()
    let session = try await session(app(air))
    let body = Data((0..<200).map { UInt8($0) })
    #expect(try await session.send(body, to: "echo") == Data(body.reversed()))
    #expect(await failure { () throws(ProvisioningFailure) in _ = try await session.send(body, to: "broken") } != nil)
    await session.close()
    await device.stop()
  }

  @Test(
    "Two apps at once: each has its session, or is told that the device is busy",
    arguments: [ProvisioningProtocol.secure, .improv])
  func twoApps(_ kind: ProvisioningProtocol) async throws {
    let air = TestAir()
    let device = try device(air, kind)
    await device.isAdvertising()
    let first = app(air)
    let second = Provisioner(
      options: {
        var options = ProvisionerOptions()
        options.accepts = Set(ProvisioningProtocol.allCases)
        return options
      }(), managerOptions: air.otherCentral(), scheduler: SlowScheduler())
    let one = try await session(first)
    let other = try await session(second)
    async let opened = failure { () throws(ProvisioningFailure) in try await one.opened() }
    async let otherOpened = failure { () throws(ProvisioningFailure) in try await other.opened() }
    let failures = await [opened, otherOpened]
    #expect(failures.contains(nil), "\(failures)")
    for failure in failures.compactMap(\.self) {
      switch failure {
      case .busy, .locked: break
      default: Issue.record("\(failure)")
      }
    }
    await one.close()
    await other.close()
    await device.stop()
  }

  @Test("An app that accepts stronger protocols alone does not speak a weaker one") func weakerProtocolsAreRefused()
    async throws
  {
    let air = TestAir()
    let device = try device(air, .legacy)
    await device.isAdvertising()
    let app = app(air, accepts: [.secure, .espressif])
    let session = app.session(with: try await app.find { $0.name == "PROV_Lamp" }, code: nil)
    #expect(
      await failure { () throws(ProvisioningFailure) in try await session.opened() } == .insecure("the legacy protocol")
    )
    await device.stop()
  }

  @Test("A device that is known as secure is not spoken to by another protocol, whatever the app accepts")
  func knownDevicesDoNotFallBack() async throws {
    let air = TestAir()
    let device = try device(air, .legacy)
    await device.isAdvertising()
    var options = ProvisionerOptions()
    options.accepts = Set(ProvisioningProtocol.allCases)
    let app = Provisioner(options: options, managerOptions: air.options, scheduler: SlowScheduler())
    let found = try await app.find { $0.name == "PROV_Lamp" }
    try options.knownDevices.store(
      KnownDevice(deviceID: Data(repeating: 1, count: 16), resumption: nil), found.identifier)
    let session = app.session(with: found, code: nil)
    guard case .insecure = await failure({ () throws(ProvisioningFailure) in try await session.opened() }) else {
      Issue.record("it spoke to a device that hides the secure service")
      return
    }
    await device.stop()
  }

  @Test("Requests wait for each other, and a canceled task ends the session") func requestsAreSerial() async throws {
    let air = TestAir()
    let device = try device(air, .legacy, ScriptedJoiner(hangs: true))
    await device.isAdvertising()
    let app = app(air)
    let session = app.session(with: try await app.find { $0.name == "PROV_Lamp" }, code: nil)
    let credentials = try credentials()
    let first = Task { await failure { () throws(ProvisioningFailure) in try await session.provision(credentials) } }
    let second = Task { await failure { () throws(ProvisioningFailure) in _ = try await session.networks() } }
    await device.event { if case .joining = $0 { true } else { false } }
    first.cancel()
    #expect(await first.value == .cancelled)
    #expect(await second.value != nil)
    #expect(await failure { () throws(ProvisioningFailure) in _ = try await session.networks() } == .disconnected)
    await device.stop()
  }

  @Test("Without a radio, search, session and device say so") func withoutRadio() async throws {
    let options: [String: any Sendable] = [CBManagerOptionControllerKey: "unix-client:/nonexistent/radio"]
    let app = Provisioner(managerOptions: options)
    guard
      case .radioUnavailable = await failure({ () throws(ProvisioningFailure) in _ = try await app.find { _ in true } })
    else {
      Issue.record("no error")
      return
    }
    var deviceOptions = ProvisionableDeviceOptions(code: nil)
    deviceOptions.protocols = [.improv, .legacy]
    let device = RunningProvisionableDevice(
      ProvisionableDevice(name: "Lamp", options: deviceOptions, joiner: ScriptedJoiner(), managerOptions: options))
    guard case .radioUnavailable = await device.failure() else {
      Issue.record("no error")
      return
    }
  }
}
