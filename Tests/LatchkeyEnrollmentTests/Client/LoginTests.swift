import LatchkeyServerTestSupport
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeySwiftTesting
import LatchkeyTLSTestSupport
import NIOSSL
import Security
import Testing

@testable import LatchkeyEnrollment

/// Logins, registrations and accounts, against a service that keeps the protocol or breaks it.
@Suite(.temporaryKeychain(typing: "1234")) struct LoginTests {
  @Test("A first login registers the device and fetches the accounts")
  func aFirstLoginRegistersTheDeviceAndFetchesTheAccounts() async throws {
    let service = try await FakeService()
    let client = EnrollmentClient(try service.configuration())
    let outcome = try await logIn(client)
    #expect(outcome.isNewlyRegistered)
    #expect(outcome.user == "demo")
    #expect(try outcome.accounts.get().map(\.number) == ["123123456456"])
    #expect(service.requests(Routes.accounts).first?.certificate == outcome.identity.identity.certificate.der)
    #expect(try await client.sessionToken() == "token")
  }

  @Test("A second login keeps the identity") func aSecondLoginKeepsTheIdentity() async throws {
    let service = try await FakeService()
    let first = try await logIn(EnrollmentClient(try service.configuration()))
    // As another process: nothing but the keychain is carried over.
    let again = EnrollmentClient(try EnrollmentConfiguration(enrolled: "default"))
    let second = try await logIn(again)
    #expect(!second.isNewlyRegistered)
    #expect(second.identity.identity == first.identity.identity)
    #expect(service.registrations == 1)
  }

  @Test("A wrong password registers nothing") func aWrongPasswordRegistersNothing() async throws {
    let service = try await FakeService()
    let client = EnrollmentClient(try service.configuration())
    let error = await failure { try await client.logIn(user: "demo", password: "wrong", deviceName: "x").value }
    #expect(error == .problem(Problem(.notAuthenticated)))
    #expect(service.requests(Routes.login).count == 1)
    #expect(try await client.identity() == nil)
  }

  @Test("A password is not sent again once it may have arrived") func aPasswordIsNotSentAgainOnceItMayHaveArrived()
    async throws
  {
    let service = try await FakeService()
    service.fail(Routes.login, .hangUpAfter)
    let client = EnrollmentClient(try service.configuration())
    _ = await failure { try await logIn(client) }
    #expect(service.requests(Routes.login).count == 1)
  }

  @Test("A registration whose answer is lost is the same registration again")
  func aRegistrationWhoseAnswerIsLostIsTheSameRegistrationAgain() async throws {
    let service = try await FakeService()
    service.fail(Routes.devices, .hangUpAfter, .hangUpBefore)
    let outcome = try await logIn(EnrollmentClient(try service.configuration()))
    #expect(outcome.isNewlyRegistered)
    #expect(service.registrations == 1)
    let sent = service.requests(Routes.devices)
    #expect(sent.count == 3)
    #expect(Set(sent.map(\.body)).count == 1)
    #expect(Set(sent.map { $0[HeaderNames.idempotencyKey] }).count == 1)
  }

  @Test("A registration that a crash cut off is finished by the next login")
  func aRegistrationThatACrashCutOffIsFinishedByTheNextLogin() async throws {
    let service = try await FakeService()
    var configuration = try service.configuration()
    configuration.retries = .never
    service.fail(Routes.devices, .hangUpAfter)
    let error = await failure { try await logIn(EnrollmentClient(configuration)) }
    guard case .outcomeUnknown = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try await logIn(EnrollmentClient(configuration)).isNewlyRegistered)
    #expect(service.registrations == 1)
  }

  @Test("A refusal that says to come again decides nothing of a registration")
  func aRefusalThatSaysToComeAgainDecidesNothingOfARegistration() async throws {
    let service = try await FakeService()
    var configuration = try service.configuration()
    configuration.retries = .never
    service.fail(
      Routes.devices, .hangUpAfter, .refuse(Problem(.tooManyRequests), retryAfter: 1),
      .refuse(Problem(.notAuthenticated)))
    for _ in 0..<3 { _ = await failure { try await logIn(EnrollmentClient(configuration)) } }
    #expect(try await logIn(EnrollmentClient(configuration)).isNewlyRegistered)
    #expect(service.registrations == 1)
    #expect(Set(service.requests(Routes.devices).map { $0[HeaderNames.idempotencyKey] }).count == 1)
  }

  @Test(
    "a key that may have been registered stays when a later try is refused; one that was made for the refused try goes")
  func keysOfRefusedRegistrations() async throws {
    let service = try await FakeService()
    var configuration = try service.configuration()
    configuration.retries = .never
    service.fail(
      Routes.devices, .refuse(Problem(.notPermitted), retryAfter: nil), .hangUpAfter,
      .refuse(Problem(.notPermitted), retryAfter: nil))
    guard case .problem = await failure({ try await logIn(EnrollmentClient(configuration)) }) else {
      Issue.record("it is not refused")
      return
    }
    #expect(try DeviceKey.find(label: configuration.identityKeyLabel) == nil)
    guard case .outcomeUnknown = await failure({ try await logIn(EnrollmentClient(configuration)) }) else {
      Issue.record("the answer is not lost")
      return
    }
    let key = try #require(try DeviceKey.find(label: configuration.identityKeyLabel))
    guard case .problem = await failure({ try await logIn(EnrollmentClient(configuration)) }) else {
      Issue.record("it is not refused")
      return
    }
    #expect(try DeviceKey.find(label: configuration.identityKeyLabel) == key)
  }

  @Test("The login stands without the accounts") func theLoginStandsWithoutTheAccounts() async throws {
    let service = try await FakeService()
    service.fail(Routes.accounts, .unsigned)
    let outcome = try await logIn(EnrollmentClient(try service.configuration()))
    guard case .failure(.cannotVerify) = outcome.accounts else {
      Issue.record("\(outcome.accounts)")
      return
    }
  }

  @Test("Another host's certificate is not trusted") func anotherHostsCertificateIsNotTrusted() async throws {
    let service = try await FakeService(names: ["else.example"])
    let error = await failure { try await logIn(EnrollmentClient(try service.configuration())) }
    guard case .untrustedServer = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(service.server.requests.isEmpty)
  }

  @Test("A foreign authority is not trusted") func aForeignAuthorityIsNotTrusted() async throws {
    let service = try await FakeService()
    var configuration = try service.configuration()
    configuration.trustRoots = [try SecCertificate(TestAuthority(name: "foreign").root.certificate)]
    let error = await failure { try await logIn(EnrollmentClient(configuration)) }
    guard case .untrustedServer = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(service.server.requests.isEmpty)
  }

  @Test("A server that does not run is reported as unreachable") func aServerThatIsNotThereIsSaidToBeUnreachable()
    async throws
  {
    let service = try await FakeService()
    var configuration = EnrollmentConfiguration(server: try ServerAddress("https://localhost:1"))
    configuration.trustRoots = try service.configuration().trustRoots
    configuration.sleep = { _ in }
    let error = await failure { try await logIn(EnrollmentClient(configuration)) }
    #expect(error == .unreachable("no connection to https://localhost:1"))
  }

  @Test("One keychain keeps the identities of two servers apart") func oneKeychainKeepsTheIdentitiesOfTwoServersApart()
    async throws
  {
    let (one, other) = (try await FakeService(), try await FakeService())
    _ = try await logIn(EnrollmentClient(try one.configuration()))
    // The same label, another server: what is pinned of the first says nothing here.
    let client = EnrollmentClient(try other.configuration())
    #expect(try await client.identity() == nil)
    let error = await failure { try await client.accounts().value }
    #expect(error == .notEnrolled)
    #expect(other.server.requests.isEmpty)
  }

  private func logIn(_ client: EnrollmentClient) async throws -> LoginOutcome {
    try await client.logIn(user: "demo", password: "open sesame", deviceName: "my device").value
  }
}

/// The error of the client that `body` ends with.
func failure<Result>(_ body: () async throws -> Result) async -> EnrollmentError? {
  do {
    _ = try await body()
    Issue.record("it ended well")
  } catch let error as EnrollmentError {
    return error
  } catch {
    Issue.record("\(error)")
  }
  return nil
}
