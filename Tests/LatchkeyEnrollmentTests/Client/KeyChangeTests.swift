import LatchkeyServerTestSupport
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore
import LatchkeySwiftTesting
import Security
import Testing

@testable import LatchkeyEnrollment

/// A change of the identity key may end at each of its steps: the device works afterwards, with one key and one certificate.
@Suite(.temporaryKeychain(typing: "1234")) struct KeyChangeTests {
  private let end = EnrollmentError.misuse("the process ended here")

  @Test("A change that ends at any step leaves a device that works", arguments: KeyChangeStep.allCases)
  func anyStep(_ last: KeyChangeStep) async throws {
    try await RealService.with { server, configuration in
      let first = EnrollmentClient(configuration)
      let old = try await enroll(first)
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

  private static let small = Transfer(
    from: RealService.checking, to: RealService.savings, amount: Amount(minorUnits: 100), currency: "EUR")

  private func key(_ identity: EnrolledIdentity) throws -> [UInt8] { try identity.identity.key.publicKeyX963() }

  private func enroll(_ client: EnrollmentClient) async throws -> EnrolledIdentity {
    try await client.logIn(user: "demo", password: RunningServer.password, deviceName: "x").value.identity
  }
}
