import LatchkeyServerTestSupport
import Crypto
import Foundation
import LatchkeyEnrollment
import LatchkeyEnrollmentProtocol
import LatchkeySealedMessages
import LatchkeyTLSTestSupport
import Security
import SwiftASN1
import Synchronization
import X509

/// A service of a few lines that follows the protocol, until a test sets a fault: how a client handles a server that
/// lies, forgets and breaks off.
final class FakeService: Sendable {
  /// A fault of one request, in place of its answer.
  enum Fault: Sendable {
    /// Ends the connection without carrying the request out.
    case hangUpBefore
    /// Carries it out, and ends the connection.
    case hangUpAfter
    /// Refuses, unsigned, without carrying it out.
    case refuse(Problem, retryAfter: Int? = nil)
    /// Answers this, unsigned.
    case say(Int, String, type: String = "text/plain", retryAfter: String? = nil)
    /// Carries it out; the answer is not signed.
    case unsigned
    /// Carries it out; the answer is signed by another key under the right name.
    case signedByAnother
    /// Carries it out; the signature is for another request.
    case signedForAnother
    /// Carries it out; the signature is for the same question, asked at another time.
    case signedForEarlier
    /// Carries it out; the body is altered afterwards.
    case altered
    /// Says nothing at all.
    case silence
    /// Begins an answer, and sends it byte by byte without end.
    case drip
    /// Refuses, signed, without carrying it out.
    case refuseSigned(Problem)
    /// Carries it out as if the client had shown no certificate.
    case unknownDevice
  }

  /// What is wrong with a certificate that it issues.
  enum WrongCertificate: CaseIterable, Sendable { case otherDevice, otherKey, notYet, ended }

  fileprivate struct State {
    var wrong: WrongCertificate?
    var faults: [String: [Fault]] = [:]
    var certificates: [SecCertificate] = []
    var registrations: [String: Data] = [:]
    var bookings: [String: Data] = [:]
    var balance: Int64 = 100_000
    var certificateLife: TimeInterval = 3600
    var offset: TimeInterval = 0
  }

  let authority: TestAuthority
  let server: LittleServer
  private let answerKey = P256.Signing.PrivateKey()
  fileprivate let core: Core

  /// Carries out requests, apart from the server that receives them.
  fileprivate final class Core: Sendable {
    let state = Mutex(State())
    let authority: TestAuthority
    let answerKey: P256.Signing.PrivateKey
    let port = Mutex(0)

    init(_ authority: TestAuthority, _ key: P256.Signing.PrivateKey) {
      self.authority = authority
      answerKey = key
    }
  }

  init(names: [String] = ["localhost"]) async throws {
    authority = try TestAuthority()
    let core = Core(authority, answerKey)
    self.core = core
    let (chain, key) = try authority.server(names: names)
    server = try await LittleServer(
      chain: chain, key: key, clientRoots: [try authority.root.certificate.bytes], isCertificateOptional: true
    ) { request in
      do { return try core.answer(request) } catch { return .response(500, [], Array("\(error)".utf8)) }
    }
    core.port.withLock { $0 = server.port }
  }

  /// A client of it, with a user who types the keychain's passcode.
  func configuration(host: String = "localhost") throws -> EnrollmentConfiguration {
    var configuration = EnrollmentConfiguration(
      server: try ServerAddress("https://\(host):\(server.port)"),
      trustRoots: [try SecCertificate(authority.root.certificate)])
    configuration.sleep = { _ in }
    // Beside other tests an answer may take long.
    configuration.timeout = .seconds(300)
    return configuration
  }

  /// Does these to the next requests for `path`, one each.
  func fail(_ path: String, _ faults: Fault...) { core.state.withLock { $0.faults[path, default: []] += faults } }

  /// The life of certificates from now on.
  func certificatesLive(_ seconds: TimeInterval) { core.state.withLock { $0.certificateLife = seconds } }

  /// Issues one wrong certificate, which it calls right.
  func issueOnce(_ wrong: WrongCertificate) { core.state.withLock { $0.wrong = wrong } }

  /// Puts its clock forward.
  func advance(by seconds: TimeInterval) { core.state.withLock { $0.offset += seconds } }

  /// How many transfers are booked.
  var bookings: Int { core.state.withLock { $0.bookings.count } }
  /// How many devices were registered.
  var registrations: Int { core.state.withLock { $0.registrations.count } }
  /// How many certificates were issued.
  var certificates: [SecCertificate] { core.state.withLock { $0.certificates } }
  /// Waits until a request for a path has come.
  func arrival(at path: String) async {
    for await request in server.arrivals where request.path == path { return }
  }

  /// The requests for a path.
  func requests(_ path: String) -> [LittleRequest] { server.requests.filter { $0.path == path } }
}

extension FakeService.Core {
  fileprivate func answer(_ request: LittleRequest) throws -> LittleAnswer {
    let fault: FakeService.Fault? = state.withLock { state in
      guard let first = state.faults[request.path]?.first else { return nil }
      state.faults[request.path]?.removeFirst()
      return first
    }
    switch fault {
    case .hangUpBefore: return .hangUp
    case .silence: return .silence
    case .drip: return .drip
    case .refuseSigned(let problem):
      return try signed(problem.status, Array(try JSONEncoder().encode(problem)), request, nil)
    case .say(let status, let text, let type, let wait):
      let fields = [("content-type", type)] + (wait.map { [("retry-after", $0)] } ?? [])
      return .response(status, fields, Array(text.utf8))
    case .refuse(let problem, let wait):
      let fields = [("content-type", "application/problem+json")] + (wait.map { [("retry-after", "\($0)")] } ?? [])
      return .response(problem.status, fields, Array(try JSONEncoder().encode(problem)))
    default: break
    }
    var (status, body) = (200, [UInt8]())
    var request = request
    if case .unknownDevice = fault { request.certificate = nil }
    do {
      body = Array(try carryOut(request))
    } catch let problem as Problem {
      (status, body) = (problem.status, Array(try JSONEncoder().encode(problem)))
    }
    if case .hangUpAfter = fault { return .hangUp }
    return try signed(status, body, request, fault)
  }

  private func signed(
    _ status: Int, _ body: [UInt8], _ request: LittleRequest, _ fault: FakeService.Fault?
  ) throws -> LittleAnswer {
    let type = status < 400 ? "application/json" : "application/problem+json"
    var answer = HTTPResponseMessage(status: status, fields: HTTPFields([("content-type", type)]))
    var asked = HTTPRequestMessage(
      method: request.method, targetURI: "https://\(request["host"] ?? "")\(request.path)",
      fields: HTTPFields(request.fields.map { ($0.name, $0.value) }))
    var key = answerKey
    var body = body
    switch fault {
    case .unsigned: return .response(status, [("content-type", type)], body)
    case .signedByAnother: key = P256.Signing.PrivateKey()
    case .signedForAnother:
      asked = HTTPRequestMessage(method: "GET", targetURI: "https://localhost/v1/else", fields: HTTPFields([]))
    case .signedForEarlier: try SealedProfile.ask(&asked, nonce: "another-nonce-of-128-bits")
    default: break
    }
    try SealedProfile.sign(&answer, body: body, to: asked, keyID: serverKeyID, now: now) { message in
      Array(try key.signature(for: message).derRepresentation)
    }
    if case .altered = fault, !body.isEmpty { body[body.count / 2] ^= 1 }
    return .response(status, answer.fields.lines.map { ($0.name, $0.value) }, body)
  }

  private var date: Date { Date() + state.withLock { $0.offset } }
  private var now: Int64 { Int64(date.timeIntervalSince1970) }

  private var serverKeyID: String {
    SHA256.hash(data: answerKey.publicKey.x963Representation).prefix(8).map { String(format: "%02x", $0) }.joined()
  }

  private func carryOut(_ request: LittleRequest) throws -> Data {
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    let body = Data(request.body)
    switch request.path {
    case Routes.login:
      let login = try decoder.decode(PasswordLogin.self, from: body)
      guard login.password == "open sesame" else { throw Problem(.notAuthenticated) }
      let device = request.certificate
        .flatMap { SecCertificateCreateWithData(nil, Data($0) as CFData) }
        .flatMap { SecCertificateCopySubjectSummary($0) }.map { "\($0)" }
      return try encoder.encode(LoginAnswer(token: "token", expiresIn: 900, user: login.user, device: device))
    case Routes.devices:
      let key = request[HeaderNames.idempotencyKey] ?? ""
      if let earlier = state.withLock({ $0.registrations[key] }) { return earlier }
      let csr = try decoder.decode(DeviceRegistration.self, from: body).signingRequest
      let answer = try encoder.encode(try issue(csr.bytes, for: String(format: "%032x", Int.random(in: 1 ... .max))))
      state.withLock { $0.registrations[key] = answer }
      return answer
    case Routes.renewal:
      guard let certificate = request.certificate,
        let leaf = SecCertificateCreateWithData(nil, Data(certificate) as CFData)
      else { throw Problem(.certificateRequired) }
      let csr = try decoder.decode(RenewalRequest.self, from: body).signingRequest
      return try encoder.encode(try issue(csr.bytes, for: SecCertificateCopySubjectSummary(leaf).map { "\($0)" } ?? ""))
    case Routes.accounts:
      guard request.certificate != nil else { throw Problem(.certificateRequired) }
      let balance = Amount(minorUnits: state.withLock { $0.balance })
      return try encoder.encode(
        AccountList(accounts: [
          AccountSummary(number: "123123456456", name: "Checking", currency: "EUR", balance: balance)
        ]))
    case Routes.transfers: return try book(request)
    case Routes.device:
      guard let certificate = request.certificate,
        let leaf = SecCertificateCreateWithData(nil, Data(certificate) as CFData)
      else { throw Problem(.certificateRequired) }
      return try encoder.encode(
        DeviceStatus(
          device: SecCertificateCopySubjectSummary(leaf).map { "\($0)" } ?? "", name: "", user: "demo",
          notAfter: now, hasApprovalKey: false, approvalKeyEvidence: nil))
    case Routes.revocation: return Data("{}".utf8)
    default: throw Problem(.notFound)
    }
  }

  private func issue(_ der: [UInt8], for device: String) throws -> EnrolledDevice {
    let csr = try CertificateSigningRequest(derEncoded: der)
    guard csr.publicKey.isValidSignature(csr.signature, for: csr) else { throw Problem(.invalidSigningRequest) }
    let (life, wrong) = state.withLock { state in
      defer { state.wrong = nil }
      return (state.certificateLife, state.wrong)
    }
    let key = wrong == .otherKey ? Certificate.PublicKey(P256.Signing.PrivateKey().publicKey) : csr.publicKey
    let name = wrong == .otherDevice ? String(repeating: "0", count: 32) : device
    let from = wrong == .notYet ? date + 600 : Date() - (wrong == .ended ? 1200 : 1)
    let leaf = try authority.client(
      name, for: key, notBefore: from, notAfter: wrong == .ended ? Date() - 600 : date + life)
    state.withLock { $0.certificates.append(leaf) }
    let certificates = try [[UInt8](SecCertificateCopyData(leaf) as Data)] + authority.chain
    return EnrolledDevice(
      device: device, user: "demo", certificates: certificates.map { Base64Bytes($0) },
      notAfter: now + Int64(life), serverKey: Base64Bytes(Array(answerKey.publicKey.x963Representation)),
      serverKeyID: serverKeyID)
  }

  private func book(_ request: LittleRequest) throws -> Data {
    let transfer = try JSONDecoder().decode(Transfer.self, from: Data(request.body))
    let key = request[HeaderNames.idempotencyKey] ?? ""
    if let earlier = state.withLock({ $0.bookings[key] }) { return earlier }
    if transfer.amount.minorUnits >= 100_000, request[HeaderNames.approval] == nil {
      throw Problem(
        .approvalRequired,
        challenge: Challenge(id: "challenge", value: Base64Bytes([UInt8](repeating: 7, count: 32)), expiresIn: 60))
    }
    guard transfer.amount.minorUnits != 6_666 else { throw Problem(.insufficientFunds) }
    let balance = state.withLock { state in
      state.balance -= transfer.amount.minorUnits
      return state.balance
    }
    // As a server that knows no dates.
    let date = transfer.notes == "to an old server" ? nil : transfer.date
    let receipt = TransferReceipt(
      transfer: "t1", from: transfer.from, to: transfer.to, amount: transfer.amount, currency: transfer.currency,
      balance: Amount(minorUnits: balance), booked: now, date: date)
    let answer = try JSONEncoder().encode(receipt)
    state.withLock { $0.bookings[key] = answer }
    return answer
  }
}
