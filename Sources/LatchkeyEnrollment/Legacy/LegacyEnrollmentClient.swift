public import Foundation
internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentProtocol
public import LatchkeySealedMessages
public import Security
internal import Synchronization

/// The result of a login at the old service.
public struct LegacyEnrollmentLogin: Sendable {
  /// The bearer token. A secret.
  public let token: String
  /// The identity that this login registered; nil if none was requested.
  public let identity: SecIdentity?
  /// The service's additional message.
  public let information: String?
}

/// The client of `Examples/002-sealed-transfer`, byte for byte, for services that cannot be changed.
///
/// Its envelope has the flaws listed at `LegacyEnvelope`, its PIN appears in URLs, and nothing prevents replay: use
/// ``EnrollmentClient`` wherever possible. Two things differ from the old client: a failed import is reported, and the server's
/// certificate is verified.
public final class LegacyEnrollmentClient: Sendable {
  /// The configuration that it was made with.
  public let configuration: LegacyEnrollmentConfiguration
  private let connections: Connections
  private let token = Mutex<String?>(nil)

  /// Creates a client.
  ///
  /// - Parameter token: that of an earlier login; nil before the first.
  public init(_ configuration: LegacyEnrollmentConfiguration, token: String? = nil) {
    self.configuration = configuration
    connections = Connections(configuration.connections)
    self.token.withLock { $0 = token }
  }

  /// The token of the last login; a secret.
  public var sessionToken: String? { token.withLock { $0 } }

  /// Closes the connections.
  public func close() async { await connections.close() }

  // MARK: Logins

  /// Logs in with HTTP Basic. With a passphrase the device is registered: the PKCS#12 file in the response is imported, and its
  /// identity is stored permanently as the default credential of ``LegacyEnrollmentConfiguration/identitySpace``.
  ///
  /// - Parameter passphrase: protects the file in transit, and is the PIN of later logins; it appears in the URL. A secret.
  public func logIn(
    user: String, password: String, registering passphrase: String? = nil
  ) -> EnrollmentOperation<LegacyEnrollmentLogin> {
    operation(.login) { [self] in
      var path = LegacyEnrollment.authenticate
      if let passphrase { path += "?register=true&pin=\(try Self.encoded(passphrase))" }
      let basic = Self.basicCredentials(user, password)
      let answer = try await send(
        "POST", path, fields: [("authorization", "Basic \(basic)")], showsIdentity: passphrase == nil)
      let login = try Self.login(answer)
      var identity: SecIdentity?
      if let passphrase { identity = try await register(login.certificate, passphrase) }
      token.withLock { $0 = login.token }
      return LegacyEnrollmentLogin(token: login.token, identity: identity, information: login.information)
    }
  }

  /// Logs in over the certificate, with the PIN encrypted under a zero IV, as in the old client.
  public func logInByCertificate(pin: String) -> EnrollmentOperation<LegacyEnrollmentLogin> {
    operation(.login) { [self] in
      let sealed: String
      do throws(SealedMessageError) {
        sealed = try LegacyPIN.seal(pin, keys: configuration.keys)
      } catch {
        throw EnrollmentError.misuse("the PIN cannot be sealed: \(error)")
      }
      let answer = try await send(
        "POST", "\(LegacyEnrollment.authenticateCertificate)?pin=\(try Self.encoded(sealed))", needsIdentity: true)
      let login = try Self.login(answer)
      token.withLock { $0 = login.token }
      return LegacyEnrollmentLogin(token: login.token, identity: nil, information: login.information)
    }
  }

  // MARK: Accounts and transfers

  /// Fetches, opens and verifies the user's accounts. `.cannotVerify` and `.cannotInterpret` have the old client's texts.
  public func accounts() -> EnrollmentOperation<[LegacyAccount]> {
    operation(.accounts) { [self] in
      let answer = try await send("GET", LegacyEnrollment.accounts, signing: true)
      do throws(SealedMessageError) {
        let plaintext = try LegacyEnvelope.openResponse(answer.body, keys: configuration.keys)
        return try LegacyAccount.accounts(in: plaintext)
      } catch {
        if case .notAuthentic = error { throw EnrollmentError.cannotVerify("the MAC of the accounts is wrong") }
        throw EnrollmentError.cannotInterpret("\(error)")
      }
    }
  }

  /// Transfers money with the old client's defaults for missing values: empty accounts and notes, 0.00, now. The clock is read
  /// once. Never sent twice: a lost response is `.unreachable`, and only the accounts show the result.
  public func transfer(
    to: String? = nil, from: String? = nil, amount: Double? = nil, date: Date? = nil, notes: String? = nil
  ) -> EnrollmentOperation<Void> {
    operation(.transfer) { [self] in
      let now = Int64(configuration.clock().timeIntervalSince1970.rounded(.down))
      let seconds = date.map { Int64(exactly: $0.timeIntervalSince1970.rounded(.down)) }
      if case .some(nil) = seconds { throw EnrollmentError.misuse("give a date of the years 1 to 9999") }
      var body: [UInt8]
      do throws(SealedMessageError) {
        let transfer = try LegacyTransfer(
          to: to, from: from, amount: amount, transferDate: seconds ?? nil, notes: notes, now: now)
        let random = configuration.random
        body = try LegacyEnvelope.seal(transfer, keys: configuration.keys) { try? random($0) }
      } catch {
        throw EnrollmentError.misuse("the transfer cannot be sealed: \(error)")
      }
      if configuration.signing == .payload { body = try Self.adding(token.withLock { $0 }, to: body) }
      _ = try await send("POST", LegacyEnrollment.transferFunds, body: body, signing: true)
    }
  }

  // MARK: On the wire

  private func operation<Success: Sendable>(
    _ kind: OperationKind, _ body: @escaping @Sendable () async throws -> Success
  ) -> EnrollmentOperation<Success> {
    EnrollmentOperation(kind, notifications: configuration.notifications, body)
  }

  /// Sends a request once.
  private func send(
    _ method: String, _ path: String, fields: [(name: String, value: String)] = [], body: [UInt8] = [],
    signing: Bool = false, showsIdentity: Bool = true, needsIdentity: Bool = false
  ) async throws -> IncomingAnswer {
    let (storage, space) = (configuration.credentials, configuration.identitySpace)
    let credential =
      showsIdentity
      ? try await blocking { () throws(EnrollmentError) in try storage.defaultCredential(for: space) } : nil
    guard credential != nil || !needsIdentity else { throw EnrollmentError.notEnrolled }
    var request = OutgoingRequest(method: method, url: configuration.server.description + path, body: body)
    request.fields = [("accept", "application/json")] + fields
    // NSURLConnection's default if the app sets none.
    if method == "POST" { request.fields.append(("content-type", "application/x-www-form-urlencoded")) }
    if signing, configuration.signing == .header, let token = token.withLock({ $0 }) {
      request.fields.append((LegacyEnrollment.tokenHeader, token))
    }
    let answer: IncomingAnswer
    do {
      answer = try await connections.exchange(showing: credential).send(request, within: configuration.timeout)
    } catch let failure as ExchangeFailure {
      switch failure {
      case .refused(let error): throw error
      case .notSent(let detail): throw EnrollmentError.unreachable(detail)
      case .noAnswer(let detail):
        throw EnrollmentError.unreachable("\(detail): the request may have been carried out all the same")
      }
    }
    guard answer.status < 500 || method == "GET" else {
      throw EnrollmentError.unreachable(
        "\(configuration.server) or something before it failed (status \(answer.status)): the request may have been carried out "
          + "all the same")
    }
    guard answer.status == 200 else { throw Self.refusal(answer) }
    return answer
  }

  /// The value after `Basic` in an Authorization field (RFC 7617).
  private static func basicCredentials(_ user: String, _ password: String) -> String {
    var credentials = Array("\(user):\(password)".utf8)
    defer { credentials.wipe() }
    return Base64.encode(credentials)
  }

  private func register(_ certificate: String?, _ passphrase: String) async throws -> SecIdentity {
    guard let file = certificate.flatMap({ try? Base64.decode($0) }) else {
      throw EnrollmentError.importFailed(status: errSecDecode)
    }
    let (storage, space) = (configuration.credentials, configuration.identitySpace)
    return try await blocking { () throws(EnrollmentError) in
      let credential = try EnrollmentClient.imported(file, passphrase: passphrase)
      guard let identity = credential.identity else { throw .importFailed(status: errSecItemNotFound) }
      try storage.setDefaultCredential(credential, for: space)
      return identity
    }
  }

  private struct Login: Decodable {
    var token: String
    var certificate: String?
    var information: String?

    enum CodingKeys: String, CodingKey {
      case token, certificate
      case information = "additional_info"
    }
  }

  private struct Said: Decodable {
    var information: String?
    enum CodingKeys: String, CodingKey { case information = "additional_info" }
  }

  private static func login(_ answer: IncomingAnswer) throws(EnrollmentError) -> Login {
    try JSON.decode(Login.self, answer.body)
  }

  private static func refusal(_ answer: IncomingAnswer) -> EnrollmentError {
    if let said = (try? JSON.decode(Said.self, answer.body))?.information {
      return .refused(status: answer.status, said)
    }
    // The modern server responds so if it lacks these routes, or refuses before it reaches them.
    let problem = try? JSON.decode(Problem.self, answer.body)
    let reason =
      switch answer.status {
      case 404, 405: "there is no old service at this address"
      default: problem.map { $0.detail ?? $0.title } ?? "no reason is given, so something before the service may say so"
      }
    return .refused(status: answer.status, "\(reason) (status \(answer.status))")
  }

  /// A query's value, fully percent-encoded (RFC 3986 2.3), including base64's plus.
  private static func encoded(_ value: String) throws(EnrollmentError) -> String {
    var unreserved = CharacterSet(charactersIn: "-._~")
    unreserved.insert(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    guard let text = value.addingPercentEncoding(withAllowedCharacters: unreserved) else {
      throw .misuse("this cannot stand in a URL")
    }
    return text
  }

  /// Adds the token to the payload as a member (`NJRequestSigningOptionPayload`).
  private static func adding(_ token: String?, to body: [UInt8]) throws(EnrollmentError) -> [UInt8] {
    guard let token else { return body }
    var members = try JSON.decode([String: String].self, body)
    members["token"] = token
    return try JSON.encode(members)
  }
}
