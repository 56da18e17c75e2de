import LatchkeyServerTestSupport
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore
import LatchkeyKeychainModel
import LatchkeySwiftTesting
import Security
import Synchronization
import Testing

@testable import LatchkeyEnrollment

/// A change of the identity key may end at each of its steps: the device works afterwards, with one key and one certificate.
@Suite(.temporaryKeychain(typing: "1234")) struct KeyChangeTests {
  private let end = EnrollmentError.misuse("the process ended here")

  @Test("A change that ends at any step leaves a device that works", arguments: KeyChangeStep.allCases)
  func anyStep(_ last: KeyChangeStep) async throws { try await anyStep(last, lifetime: nil) }

  @Test(
    "A change to a certificate that ends before the old one, ended at any step, leaves a device that works",
    arguments: KeyChangeStep.allCases)
  func anyStepToAShorterLife(_ last: KeyChangeStep) async throws { try await anyStep(last, lifetime: 3600) }

  /// - Parameter lifetime: the lifetime of new certificates from the enrollment on; nil for that of the first.
  private func anyStep(_ last: KeyChangeStep, lifetime: Int64?) async throws {
    try await RealService.with { server, configuration in
      let first = EnrollmentClient(configuration)
      let old = try await enroll(first)
      try await server.store.write { store in
        var profile = DeviceProfile.builtIn
        profile.certificateLifetime = lifetime
        try store.setProfile(profile)
      }
      var ending = configuration
      ending.onKeyChange = { [end] step throws(EnrollmentError) in if step == last { throw end } }
      #expect(await failure { try await EnrollmentClient(ending).renew(changingKey: true).value } == end)
      // Another process goes on, with what the keychain has.
      let next = EnrollmentClient(configuration)
      #expect(try await next.accounts().value.count == 2)
      #expect(try await next.transfer(Self.small).value.isReplayed == false)
      let new = try await next.renew(changingKey: true).value
      #expect(try key(new) != key(old))
      #expect(try await next.accounts().value.count == 2)
      #expect(try configuration.credentials.credentials(for: configuration.identitySpace).count == 1)
      #expect(try DeviceKey.find(label: configuration.nextIdentityKeyLabel) == nil)
      #expect(try DeviceKey.find(label: configuration.identityKeyLabel)?.publicKeyX963() == key(new))
      #expect(try await next.record()?.isChangingKey == nil)
      #expect(try await server.store.read { try $0.devices(of: "demo").count } == 1)
    }
  }

  @Test(
    "A change that ended at any step, and whose old certificate ends meanwhile, is finished by the proof of a key",
    arguments: KeyChangeStep.allCases)
  func anyStepAndTheEndOfTheCertificate(_ last: KeyChangeStep) async throws {
    try await RealService.with({
      $0.policy.renewalAfterExpiry = 86_400
      // TLS has the system's time: the new certificate must begin before it, and begins five minutes before the server's.
      $0.policy.certificateLifetime = 200
    }) { server, configuration in
      let device = try await enroll(EnrollmentClient(configuration)).device
      var ending = configuration
      ending.onKeyChange = { [end] step throws(EnrollmentError) in if step == last { throw end } }
      #expect(await failure { try await EnrollmentClient(ending).renew(changingKey: true).value } == end)
      server.clock.advance(by: 240)
      let next = EnrollmentClient(configuration)
      #expect(try await next.renew().value.device == device)
      #expect(try await next.accounts().value.count == 2)
      _ = try await next.renew().value
      #expect(try await next.accounts().value.count == 2)
    }
  }

  @Test("The old key is kept if the server does not accept the certificate that it sent")
  func notAccepted() async throws {
    let (service, client) = try await enrolled()
    let old = try #require(try await client.identity())
    service.fail(Routes.device, .refuseSigned(Problem(.notAuthenticated)))
    switch await failure({ try await client.renew(changingKey: true).value }) {
    case .cannotVerify: break
    case let error: Issue.record("\(String(describing: error))")
    }
    #expect(try DeviceKey.find(label: client.configuration.identityKeyLabel)?.publicKeyX963() == key(old))
    _ = try await client.renew().value
    #expect(try key(try #require(try await client.identity())) != key(old))
    #expect(try DeviceKey.find(label: client.configuration.nextIdentityKeyLabel) == nil)
  }

  @Test("A server that goes away in the middle is no loss: the next operation ends the change")
  func unreachableInTheMiddle() async throws {
    let (service, client) = try await enrolled { $0.retries = .never }
    service.fail(Routes.device, .hangUpBefore)
    #expect(await failure { try await client.renew(changingKey: true).value } != nil)
    #expect(try await client.accounts().value.count == 1)
    #expect(try DeviceKey.find(label: client.configuration.nextIdentityKeyLabel) == nil)
    #expect(try await client.record()?.isChangingKey == nil)
  }

  @Test(
    "A certificate of another device, of another key, or of another time replaces nothing",
    arguments: FakeService.WrongCertificate.allCases)
  func wrongCertificates(_ wrong: FakeService.WrongCertificate) async throws {
    let (service, client) = try await enrolled()
    let old = try #require(try await client.identity())
    service.issueOnce(wrong)
    switch await failure({ try await client.renew().value }) {
    case .cannotVerify, .cannotInterpret: break
    case let error: Issue.record("\(wrong): \(String(describing: error))")
    }
    #expect(try await client.identity()?.identity == old.identity)
    #expect(try await client.accounts().value.count == 1)
  }

  @Test(
    "A renewal and a change of the key give the certificate that they stored, also one that ends before the old one")
  func shorterLife() async throws {
    let (service, client) = try await enrolled()
    let old = try #require(try await client.identity())
    service.certificatesLive(600)
    service.advance(by: 2)
    let renewed = try await client.renew().value
    #expect(renewed.identity.certificate == service.certificates.last)
    let changed = try await client.renew(changingKey: true).value
    #expect(changed.identity.certificate == service.certificates.last)
    #expect(try key(changed) != key(old))
    #expect(try await client.identity()?.identity == changed.identity)
    #expect(changed.notAfter < old.notAfter)
  }

  @Test("A client waits for another process that changes the identity, and then goes on with the change")
  func anotherProcess() async throws {
    try await RealService.with { _, configuration in
      let old = try await enroll(EnrollmentClient(configuration))
      var ending = configuration
      ending.onKeyChange = { [end] step throws(EnrollmentError) in if step == .answered { throw end } }
      #expect(await failure { try await EnrollmentClient(ending).renew(changingKey: true).value } == end)
      let (events, report) = AsyncStream.makeStream(of: String.self)
      var waiting = configuration
      waiting.onWaiting = { report.yield("waits") }
      let client = EnrollmentClient(waiting)
      let keychain = try KeychainSession.current().store.sharedPath
      #expect(keychain != nil)
      // As another process would, in whose change this is.
      let accounts = try await EnrollmentTurn.run("identity \(configuration.label)", of: keychain) {
        let accounts = Task {
          defer { report.yield("has ended") }
          return try await client.accounts().value
        }
        let event = await events.first { _ in true }
        #expect(event == "waits")
        let unchanged = try await client.identity()
        #expect(unchanged?.identity == old.identity)
        return accounts
      }
      #expect(try await accounts.value.count == 2)
      let new = try #require(try await client.identity())
      #expect(try key(new) != key(old))
    }
  }

  @Test(
    "A request whose certificate was ended by a change of the key meanwhile is sent over the new one",
    arguments: [KeyChangeStep.answered, .renamed])
  func changedMeanwhile(_ last: KeyChangeStep) async throws {
    try await RealService.with({ $0.policy.revocationStaleness = .zero }) { _, configuration in
      let client = EnrollmentClient(configuration)
      let old = try await enroll(client)
      var ending = configuration
      ending.onKeyChange = { [end] step throws(EnrollmentError) in if step == last { throw end } }
      #expect(await failure { try await EnrollmentClient(ending).renew(changingKey: true).value } == end)
      let answer = try await client.sendAsDevice(.get(Routes.accounts, .certificate(answerIsSigned: true)), old)
      #expect(try answer.decode(AccountList.self).accounts.count == 2)
    }
  }

  @Test(
    "A request whose key was deleted by changes of the key meanwhile is sent over the newest one, however many they were"
  )
  func changedAgainAndAgain() async throws {
    try await RealService.with({ $0.policy.revocationStaleness = .zero }) { _, configuration in
      var identities = [try await enroll(EnrollmentClient(configuration))]
      // Each in a client of its own, as in another process.
      for _ in 0..<3 { identities.append(try await EnrollmentClient(configuration).renew(changingKey: true).value) }
      let later = Mutex(identities.dropFirst())
      let client = EnrollmentClient(configuration)
      let answer = try await client.sendAsDevice(
        .get(Routes.accounts, .certificate(answerIsSigned: true)), identities[0],
        current: { try #require(later.withLock { $0.popFirst() }) })
      #expect(try answer.decode(AccountList.self).accounts.count == 2)
      #expect(later.withLock { $0.isEmpty })
    }
  }

  @Test("Beside changes of the key by another client there is an identity at each moment, and each request is answered")
  func besideChanges() async throws {
    try await RealService.with({ $0.policy.revocationStaleness = .zero }) { _, configuration in
      _ = try await enroll(EnrollmentClient(configuration))
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          for _ in 0..<10 { _ = try await EnrollmentClient(configuration).renew(changingKey: true).value }
        }
        for _ in 0..<2 {
          group.addTask {
            let client = EnrollmentClient(configuration)
            for _ in 0..<200 {
              let identity = try await client.identity()
              #expect(identity != nil)
            }
          }
          group.addTask {
            for _ in 0..<40 {
              let accounts = try await EnrollmentClient(configuration).accounts().value
              #expect(accounts.count == 2)
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test("A request whose key is deleted, and of which there is no newer one, says so and is not repeated")
  func deletedKey() async throws {
    try await RealService.with({ $0.policy.revocationStaleness = .zero }) { _, configuration in
      let old = try await enroll(EnrollmentClient(configuration))
      // Without a connection from before.
      let client = EnrollmentClient(configuration)
      try DeviceKey.delete(label: configuration.identityKeyLabel)
      let error = await failure {
        try await client.sendAsDevice(
          .get(Routes.accounts, .certificate(answerIsSigned: true)), old, current: { old })
      }
      guard case .keychain(errSecItemNotFound, _) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test("A refusal of the identity that is in use still is not sent twice") func sameIdentity() async throws {
    let (service, client) = try await enrolled()
    let before = service.requests(Routes.accounts).count
    service.fail(Routes.accounts, .refuseSigned(Problem(.revoked)))
    guard case .problem(let problem) = await failure({ try await client.accounts().value }) else {
      Issue.record("the refusal is not reported")
      return
    }
    #expect(problem.code == .revoked)
    #expect(service.requests(Routes.accounts).count == before + 1)
  }

  @Test("A change of the key does not take the result of a plain renewal that is under way")
  func changeDuringRenewal() async throws {
    let (_, client) = try await enrolled()
    let identity = try #require(try await client.identity())
    let gate = RenewalGate()
    let (opening, open) = AsyncStream.makeStream(of: Void.self)
    let (starts, started) = AsyncStream.makeStream(of: Void.self)
    let changes = Mutex(0)
    let plain = Task {
      try await gate.once(changingKey: false) {
        started.yield()
        _ = await opening.first { true }
        return identity
      }
    }
    _ = await starts.first { true }
    async let change = gate.once(changingKey: true) {
      changes.withLock { $0 += 1 }
      return identity
    }
    open.yield()
    _ = try await (plain.value, change)
    #expect(changes.withLock { $0 } == 1)
  }

  private static let small = Transfer(
    from: RealService.checking, to: RealService.savings, amount: Amount(minorUnits: 100), currency: "EUR")

  private func key(_ identity: EnrolledIdentity) throws -> [UInt8] { try identity.identity.key.publicKeyX963() }

  private func enroll(_ client: EnrollmentClient) async throws -> EnrolledIdentity {
    try await client.logIn(user: "demo", password: RunningServer.password, deviceName: "x").value.identity
  }
}
