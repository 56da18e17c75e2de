import LatchkeyServerTestSupport
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeySwiftTesting
import Security
import LatchkeyTLSTestSupport
import Testing

@testable import LatchkeyEnrollment

/// Certificates are renewed while they count, and not after.
@Suite(.temporaryKeychain(typing: "1234")) struct RenewalTests {
  @Test("A certificate is renewed when a third of its life is left")
  func aCertificateIsRenewedWhenAThirdOfItsLifeIsLeft() async throws {
    let clock = Clock()
    let (service, client) = try await enrolled { $0.clock = { clock.now } }
    #expect(service.certificates.count == 1)
    for (seconds, certificates) in [(2300.0, 1), (150.0, 2)] {
      clock.advance(by: seconds)
      service.advance(by: seconds)
      _ = try await client.accounts().value
      #expect(service.certificates.count == certificates)
    }
    #expect(service.requests(Routes.accounts).last?.certificate == service.certificates[1].der)
    #expect(try await client.identity()?.identity.certificate == service.certificates[1])
    #expect(try client.configuration.credentials.credentials(for: client.configuration.identitySpace).count == 1)
  }

  @Test("The old certificate is gone and the key stays") func theOldCertificateIsGoneAndTheKeyStays() async throws {
    let (service, client) = try await enrolled()
    let old = try #require(try await client.identity())
    let new = try await client.renew().value
    #expect(new.identity.certificate != old.identity.certificate)
    #expect(new.identity.key == old.identity.key)
    let query: [CFString: Any] = [
      kSecClass: kSecClassCertificate, kSecValueRef: old.identity.certificate, kSecReturnRef: true,
    ]
    #expect(SecItemCopyMatching(query as CFDictionary, nil) == errSecItemNotFound)
    #expect(service.certificates.count == 2)
  }

  @Test("A renewal that fails does not stop the request") func aRenewalThatFailsDoesNotStopTheRequest() async throws {
    let (service, client) = try await enrolled { $0.renewalFraction = 1 }
    service.fail(Routes.renewal, .refuse(Problem(.notPermitted)))
    #expect(try await client.accounts().value.count == 1)
    #expect(service.certificates.count >= 1)
  }

  @Test("Renewals wanted at once are one") func renewalsWantedAtOnceAreOne() async throws {
    let (service, client) = try await enrolled()
    let issued = service.certificates.count
    let operations = (0..<4).map { _ in client.renew() }
    var certificates: Set<SecCertificate> = []
    for operation in operations { certificates.insert(try await operation.value.identity.certificate) }
    // All that began before the first ended have its certificate; none is lost, whatever the order.
    #expect(service.certificates.count - issued <= 4)
    #expect(certificates.count == service.certificates.count - issued)
  }

  @Test("An identity that has ended sends nothing") func anIdentityThatHasEndedSendsNothing() async throws {
    let clock = Clock()
    let (service, client) = try await enrolled { $0.clock = { clock.now } }
    let before = service.server.requests.count
    clock.advance(by: 7200)
    #expect(await failure { try await client.accounts().value } == .identityExpired)
    #expect(service.server.requests.count == before)
    // A renewal asks, and this service knows none after the end.
    #expect(await failure { try await client.renew().value } == .identityExpired)
    #expect(service.requests(Routes.renewal).isEmpty)
  }

  @Test("A login after the end registers anew") func aLoginAfterTheEndRegistersAnew() async throws {
    let clock = Clock()
    let (service, client) = try await enrolled { $0.clock = { clock.now } }
    let first = try #require(try await client.identity())
    clock.advance(by: 7200)
    service.advance(by: 7200)
    let outcome = try await client.logIn(user: "demo", password: "open sesame", deviceName: "x").value
    #expect(outcome.isNewlyRegistered)
    #expect(outcome.identity.device != first.device)
  }

  @Test("A device that is revoked leaves nothing in the keychain") func aDeviceThatIsRevokedLeavesNothingInTheKeychain()
    async throws
  {
    let (_, client) = try await enrolled()
    try await client.revoke().value
    #expect(try await client.identity() == nil)
    for itemClass in [kSecClassInternetPassword, kSecClassIdentity] {
      #expect(SecItemCopyMatching([kSecClass: itemClass] as CFDictionary, nil) == errSecItemNotFound)
    }
    #expect(try DeviceKey.find(label: client.configuration.identityKeyLabel) == nil)
    #expect(await failure { try await client.accounts().value } == .notEnrolled)
  }

  @Test("An answer that the server did not sign ends no device") func whatTheServerDoesNotSignEndsNoDevice()
    async throws
  {
    let (service, client) = try await enrolled()
    let device = try #require(try await client.identity()).device
    for fault in [
      FakeService.Fault.refuse(Problem(.revoked)), .unsigned, .signedByAnother, .signedForAnother, .say(403, "gone"),
    ] {
      service.fail(Routes.revocation, fault)
      let error = await failure { try await client.revoke().value }
      switch error {
      case .cannotVerify, .cannotInterpret: break
      default: Issue.record("\(fault): \(String(describing: error))")
      }
      #expect(try await client.identity()?.device == device)
      #expect(try DeviceKey.find(label: client.configuration.identityKeyLabel) != nil)
    }
    #expect(try await client.accounts().value.count == 1)
    service.fail(Routes.revocation, .refuseSigned(Problem(.revoked)))
    try await client.revoke().value
    #expect(try await client.identity() == nil)
    #expect(try DeviceKey.find(label: client.configuration.identityKeyLabel) == nil)
  }

  @Test("A login does not forget a device on the unsigned claim that it was revoked")
  func aLoginKeepsTheDeviceOfWhichOnlySomebodySaysThatItWasRevoked() async throws {
    let (service, client) = try await enrolled()
    let device = try #require(try await client.identity()).device
    service.fail(Routes.accounts, .refuse(Problem(.revoked)))
    let kept = try await client.logIn(user: "demo", password: "open sesame", deviceName: "x").value
    #expect(!kept.isNewlyRegistered && kept.identity.device == device)
    #expect(service.registrations == 1)
    service.fail(Routes.accounts, .refuseSigned(Problem(.revoked)))
    let new = try await client.logIn(user: "demo", password: "open sesame", deviceName: "x").value
    #expect(new.isNewlyRegistered && new.identity.device != device)
  }

  @Test("A login whose answer does not name the device ends the device only by the server's signature")
  func aLoginWhoseAnswerDoesNotNameTheDeviceEndsItByTheServersSignatureAlone() async throws {
    let (service, client) = try await enrolled()
    let first = try #require(try await client.identity())
    func logIn() async throws -> LoginOutcome {
      try await client.logIn(user: "demo", password: "open sesame", deviceName: "x").value
    }
    // The server counts the device, and says so.
    service.fail(Routes.login, .unknownDevice)
    let kept = try await logIn()
    #expect(!kept.isNewlyRegistered && kept.identity.identity == first.identity)
    for fault in [
      FakeService.Fault.refuse(Problem(.revoked)), .refuse(Problem(.notAuthenticated)), .say(403, "gone"), .unsigned,
      .signedByAnother,
    ] {
      service.fail(Routes.login, .unknownDevice)
      service.fail(Routes.device, fault)
      switch await failure({ try await logIn() }) {
      case .cannotVerify, .cannotInterpret: break
      case let error: Issue.record("\(fault): \(String(describing: error))")
      }
      #expect(try await client.identity()?.identity == first.identity)
    }
    // One that is not there for a while decides nothing.
    service.fail(Routes.login, .unknownDevice)
    service.fail(Routes.device, .refuseSigned(Problem(.tooManyRequests)), .refuseSigned(Problem(.tooManyRequests)))
    service.fail(Routes.device, .refuseSigned(Problem(.tooManyRequests)), .refuseSigned(Problem(.tooManyRequests)))
    service.fail(Routes.device, .refuseSigned(Problem(.tooManyRequests)))
    #expect(await failure { try await logIn() } == .problem(Problem(.tooManyRequests)))
    #expect(service.registrations == 1)
    service.fail(Routes.login, .unknownDevice)
    service.fail(Routes.device, .refuseSigned(Problem(.notAuthenticated)))
    let new = try await logIn()
    #expect(new.isNewlyRegistered && new.identity.device != first.device)
    #expect(service.registrations == 2)
  }

  private final class Clock: @unchecked Sendable {
    private let lock = NSLock()
    private var offset: TimeInterval = 0
    var now: Date { Date() + lock.withLock { offset } }
    func advance(by seconds: TimeInterval) { lock.withLock { offset += seconds } }
  }
}
