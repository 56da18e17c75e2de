import LatchkeyServerTestSupport
import LatchkeyTLSTestSupport
import LatchkeyTestSupport
import Crypto
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyPKCS12
import LatchkeySealedMessages
import LatchkeySwiftTesting
import Security
import SwiftASN1
import Synchronization
import Testing
import X509

@testable import LatchkeyEnrollment

/// Document 002's client on the wire: routes, fields and bodies, and what is done with bad answers.
@Suite(.temporaryKeychain(typing: "1234")) struct LegacyEnrollmentClientTests {
  private static let keys = try? LegacyEnvelopeKeys(
    encryption: "0123456789abcdef0123456789abcdef", authentication: "fedcba9876543210fedcba9876543210")
  private static let success = #"{"result":"SUCCESS","additional_info":"hello","token":"t-1"}"#

  @Test("A login is basic without a query") func aLoginIsBasicWithoutAQuery() async throws {
    let (server, client) = try await service { _ in
      .response(200, [("content-type", "text/html")], Array(Self.success.utf8))
    }
    let login = try await client.logIn(user: "anna", password: "open sesame").value
    #expect(login.token == "t-1")
    #expect(login.information == "hello")
    #expect(login.identity == nil)
    let request = try #require(server.requests.first)
    #expect(request.method == "POST")
    #expect(request.path == "/user/authenticate")
    #expect(request["authorization"] == "Basic \(Data("anna:open sesame".utf8).base64EncodedString())")
    #expect(request["accept"] == "application/json")
  }

  @Test("A registration puts the passphrase into the query and keeps the identity")
  func aRegistrationPutsThePassphraseIntoTheQueryAndKeepsTheIdentity() async throws {
    let file = try p12(password: "p+1 &x").base64EncodedString()
    let (server, client) = try await service { _ in
      .response(200, [], Array(#"{"result":"SUCCESS","token":"t-1","certificate":"\#(file)"}"#.utf8))
    }
    let login = try await client.logIn(user: "anna", password: "open sesame", registering: "p+1 &x").value
    #expect(server.requests.first?.path == "/user/authenticate?register=true&pin=p%2B1%20%26x")
    let identity = try #require(login.identity)
    let space = client.configuration.identitySpace
    #expect(space.realm.isEmpty && space.authenticationMethod == .clientCertificate)
    #expect(try CredentialStorage().defaultCredential(for: space)?.identity == identity)
  }

  @Test("Values that cannot be sealed are reported in words") func whatCannotBeSealedIsSaidInWords() async throws {
    let (server, client) = try await service { _ in .response(200) }
    #expect(
      await failure { try await client.transfer(amount: 1e15).value }
        == .misuse("the transfer cannot be sealed: give an amount of at most 15 digits"))
    #expect(
      await failure { try await client.logInByCertificate(pin: String(repeating: "1", count: 300)).value }
        == .misuse("the PIN cannot be sealed: give a PIN of at most 256 bytes"))
    #expect(server.requests.isEmpty)
  }

  @Test("A file that cannot be imported is reported") func aFileThatCannotBeImportedIsReported() async throws {
    let file = try p12(password: "another").base64EncodedString()
    for certificate in [file, "AAAA", "!", ""] {
      let (_, client) = try await service { _ in
        .response(200, [], Array(#"{"result":"SUCCESS","token":"t-1","certificate":"\#(certificate)"}"#.utf8))
      }
      let error = await failure {
        try await client.logIn(user: "anna", password: "open sesame", registering: "1234").value
      }
      guard case .importFailed = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(try CredentialStorage().credentials(for: client.configuration.identitySpace).isEmpty)
    }
  }

  @Test("A login by certificate sends the PIN under a vector of zeros")
  func aLoginByCertificateSendsThePINUnderAVectorOfZeros() async throws {
    let keys = try #require(Self.keys)
    let (server, client) = try await service { _ in .response(200, [], Array(Self.success.utf8)) }
    let key = try DeviceKey.identity.make(label: "old")
    let identity = try #require(SecIdentity(certificate: try TestAuthority().client("anna", for: key), key: key))
    try client.configuration.credentials.setDefaultCredential(
      Credential(identity: identity, persistence: .permanent), for: client.configuration.identitySpace)
    _ = try await client.logInByCertificate(pin: "1234").value
    let path = try #require(server.requests.first?.path)
    #expect(path.hasPrefix("/user/authenticate/certificate?pin="))
    let value = try #require(path.split(separator: "=", maxSplits: 1).last.map(String.init)?.removingPercentEncoding)
    #expect(try LegacyPIN.open(value, keys: keys) == "1234")
  }

  @Test("Without an identity there is no login by certificate") func withoutAnIdentityThereIsNoLoginByCertificate()
    async throws
  {
    let (server, client) = try await service { _ in .response(200) }
    #expect(await failure { try await client.logInByCertificate(pin: "1234").value } == .notEnrolled)
    #expect(server.requests.isEmpty)
  }

  @Test("Accounts are opened and verified") func accountsAreOpenedAndVerified() async throws {
    let keys = try #require(Self.keys)
    let accounts = [LegacyAccount(name: "Checking", number: "123123456456", balance: "12.50")]
    let body = try LegacyEnvelope.sealResponse(LegacyAccount.plaintext(of: accounts), keys: keys) {
      [UInt8](repeating: 7, count: $0)
    }
    let (server, client) = try await service(token: "t-1") { _ in .response(200, [], body) }
    #expect(try await client.accounts().value == accounts)
    #expect(server.requests.first?.method == "GET")
    #expect(server.requests.first?.path == "/user/accounts")
    #expect(server.requests.first?["auth-token"] == "t-1")
  }

  @Test("Accounts under another MAC key have the legacy client's words")
  func accountsUnderAnotherMACKeyHaveTheDocumentsWords() async throws {
    let other = try LegacyEnvelopeKeys(
      encryption: "0123456789abcdef0123456789abcdef", authentication: "00000000000000000000000000000000")
    let body = try LegacyEnvelope.sealResponse(Array("[]".utf8), keys: other) { [UInt8](repeating: 7, count: $0) }
    let (_, client) = try await service { _ in .response(200, [], body) }
    let error = await failure { try await client.accounts().value }
    #expect(
      error?.userMessage
        == "We're unable to verify account data validity. Please check your network connection and try again.")
    #expect(error?.userTitle == "Unsecure Connection")
  }

  @Test(
    "Accounts that cannot be opened have the legacy client's words",
    arguments: ["", "{}", "[]", #"{"iv":"0123456789abcdef","mac":"00","payload":"AAAA"}"#])
  func accountsThatCannotBeOpenedHaveTheDocumentsWords(_ body: String) async throws {
    let (_, client) = try await service { _ in .response(200, [], Array(body.utf8)) }
    let error = await failure { try await client.accounts().value }
    #expect(
      error?.userMessage
        == "We're unable to interpret account data validity. Please check your network connection and try again.")
  }

  @Test("A transfer is sealed with the legacy client's defaults and one reading of the clock")
  func aTransferIsSealedWithTheDocumentsDefaultsAndOneReadingOfTheClock() async throws {
    let keys = try #require(Self.keys)
    let clock = Mutex(1_330_318_800.0)
    let (server, client) = try await service(token: "t-1") { _ in
      .response(200)
    } change: {
      $0.clock = {
        clock.withLock { seconds in
          defer { seconds += 1 }
          return Date(timeIntervalSince1970: seconds)
        }
      }
    }
    try await client.transfer().value
    let request = try #require(server.requests.first)
    #expect(request.method == "POST")
    #expect(request.path == "/account/transferfunds")
    #expect(request["auth-token"] == "t-1")
    #expect(request["content-type"] == "application/x-www-form-urlencoded")
    let opened = try LegacyEnvelope.openTransfer(request.body, keys: keys)
    #expect(
      opened.transfer
        == LegacyTransfer(
          toAccount: "", fromAccount: "", transferDate: "2012-02-27 05:00:00 +0000", transferNotes: "", amount: "0.00"))
  }

  @Test("The token goes where the signing option says", arguments: LegacyEnrollment.SigningOption.allCases)
  func theTokenGoesWhereTheSigningOptionSays(_ option: LegacyEnrollment.SigningOption) async throws {
    let (server, client) = try await service(token: "t-1") { _ in
      .response(200)
    } change: {
      $0.signing = option
    }
    try await client.transfer(to: "123123456456", from: "654654123123", amount: 23.23, notes: "x").value
    let request = try #require(server.requests.first)
    #expect((request["auth-token"] == "t-1") == (option == .header))
    let members = try #require(try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: String])
    #expect(Set(members.keys) == (option == .payload ? ["iv", "mac", "payload", "token"] : ["iv", "mac", "payload"]))
    if option == .payload { #expect(members["token"] == "t-1") }
    #expect(request.path == LegacyEnrollment.transferFunds)
  }

  @Test("A random source that fails fails the request") func aRandomSourceThatFailsFailsTheRequest() async throws {
    let (server, client) = try await service { _ in
      .response(200)
    } change: {
      $0.random = { _ in throw EnrollmentError.keychain(status: errSecInternalError, "none") }
    }
    let error = await failure { try await client.transfer(to: "1", from: "2", amount: 1).value }
    guard case .misuse = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(server.requests.isEmpty)
  }

  @Test("An invalid date is refused, and nothing is sent", arguments: [Double.nan, .infinity, 1e18, -1e18, 1e300])
  func aDateThatIsNoneIsRefusedAndNothingSent(seconds: Double) async throws {
    let (server, client) = try await service { _ in .response(200) }
    let date = Date(timeIntervalSince1970: seconds)
    let error = await failure { try await client.transfer(to: "1", from: "2", amount: 1, date: date).value }
    guard case .misuse = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(server.requests.isEmpty)
  }

  @Test("A transfer is never sent twice") func aTransferIsNeverSentTwice() async throws {
    let (server, client) = try await service { _ in .hangUp }
    let error = await failure { try await client.transfer(to: "1", from: "2", amount: 1).value }
    guard case .unreachable = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(server.requests.count == 1)
  }

  @Test("A refusal repeats the words of the service") func aRefusalSaysWhatTheServiceSaid() async throws {
    let (_, client) = try await service { _ in
      .response(400, [], Array(#"{"result":"ERROR","additional_info":"Message Integrity Error"}"#.utf8))
    }
    let error = await failure { try await client.transfer(to: "1", from: "2", amount: 1).value }
    #expect(error == .refused(status: 400, "Message Integrity Error"))
  }

  @Test("A fault on the way leaves a transfer open", arguments: [500, 502, 503, 504])
  func aFaultOnTheWayLeavesATransferOpen(status: Int) async throws {
    let (_, client) = try await service { _ in .response(status, [], Array("<html>".utf8)) }
    let error = await failure { try await client.transfer(to: "1", from: "2", amount: 1).value }
    guard case .unreachable(let detail) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(detail.contains("(status \(status))") && detail.contains("may have been carried out all the same"))
  }

  @Test("A transfer without an answer may be booked, and one without a connection is not")
  func aTransferThatIsNotAnsweredMayBeBookedAndOneThatFoundNoConnectionIsNot() async throws {
    let (_, client) = try await service({ _ in .silence }) { $0.timeout = .seconds(2) }
    let open = EnrollmentError.unreachable(
      "no answer from \(client.configuration.server) in time: the request may have been carried out all the same")
    #expect(await failure { try await client.transfer(to: "1", from: "2", amount: 1).value } == open)
    let silent = try SilentServer()
    var configuration = client.configuration
    configuration = LegacyEnrollmentConfiguration(
      server: try ServerAddress("https://127.0.0.1:\(silent.port)"), trustRoots: configuration.trustRoots,
      keys: configuration.keys)
    configuration.timeout = .milliseconds(300)
    let mute = LegacyEnrollmentClient(configuration)
    #expect(
      await failure { try await mute.transfer(to: "1", from: "2", amount: 1).value }
        == .unreachable("no connection to \(configuration.server) in time"))
  }

  @Test("The record of an enrollment comes back from the keychain")
  func theRecordOfAnEnrollmentComesBackFromTheKeychain() async throws {
    let keys = try #require(Self.keys)
    var configuration = LegacyEnrollmentConfiguration(server: try ServerAddress("https://bank.example"), keys: keys)
    configuration.signing = .payload
    try LegacyEnrollmentRecord(configuration: configuration, token: "t-1").save(label: "old")
    let record = try LegacyEnrollmentRecord(enrolled: "old")
    #expect(record.configuration.keys == keys)
    #expect(record.configuration.signing == .payload)
    #expect(record.configuration.server == configuration.server)
    #expect(record.token == "t-1")
    #expect(throws: EnrollmentError.notEnrolled) { try LegacyEnrollmentRecord(enrolled: "default") }
  }

  // MARK: Helpers of the tests

  private func service(
    token: String? = nil, _ handler: @escaping LittleServer.Handler,
    change: (inout LegacyEnrollmentConfiguration) -> Void = { _ in }
  ) async throws -> (LittleServer, LegacyEnrollmentClient) {
    let authority = try TestAuthority()
    let (chain, key) = try authority.server()
    let server = try await LittleServer(chain: chain, key: key, handler)
    var configuration = LegacyEnrollmentConfiguration(
      server: try ServerAddress("https://localhost:\(server.port)"),
      trustRoots: [try SecCertificate(authority.root.certificate)], keys: try #require(Self.keys))
    configuration.credentials = CredentialStorage()
    change(&configuration)
    // The client keeps its server for as long as it lives.
    let clock = configuration.clock
    configuration.clock = { withExtendedLifetime(server) { clock() } }
    return (server, LegacyEnrollmentClient(configuration, token: token))
  }

  private func p12(password: String) throws -> Data {
    let key = P256.Signing.PrivateKey()
    let certificate = try TestAuthority().client("anna", for: Certificate.PublicKey(key.publicKey))
    let name = Array("anna".utf8)
    let file = PKCS12File(
      certificates: [.init(der: certificate.der, localKeyID: name)],
      keys: [.init(pkcs8: Array(key.derRepresentation), localKeyID: name)])
    var profile = PKCS12Profile.modern
    profile.iterations = 2048
    return Data(try file.encoded(password: password, profile: profile) { [UInt8](repeating: 7, count: $0) })
  }
}
