internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import LatchkeyByteCoding
internal import LatchkeyCertificateAuthority
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import LatchkeyPKCS12
internal import NIOSSL

/// Enrollment over Secure Transport (RFC 7030, with the clarifications of RFC 8951), for devices that speak it already. Each route
/// translates to a ceremony of the service: a login with a registration, or a renewal.
struct ESTRoutes: RouteGroup {
  static let certificatesType = "application/pkcs7-mime"
  static let issuedType = "application/pkcs7-mime; smime-type=certs-only"
  static let attributesType = "application/csrattrs"
  static let waitingType = "text/plain; charset=utf-8"
  static let requestType = "application/pkcs10"

  private let services: Services

  init(_ services: Services) { self.services = services }

  /// The router's name for the label in a path: the name of a profile (RFC 7030 3.2.2).
  static let label = "{label}"

  func add(to router: Router<ServerContext>) {
    add(to: router) { $0 }
    add(to: router) { Routes.est($0, label: Self.label) }
  }

  private func add(to router: Router<ServerContext>, _ path: (String) -> String) {
    router.get(RouterPath(path(Routes.estCertificates))) { [self] _, context in
      let issuer = try await services.issuers.issuer(of: profile(context) ?? .builtIn)
      return Self.text(CMSSignedData.encoded(authorities(beside: issuer.authority)), Self.certificatesType)
    }
    router.get(RouterPath(path(Routes.estAttributes))) { [self] _, context in
      let profile = try await profile(context) ?? .builtIn
      let attributes = RequestAttributes(names: try profile.fixedNames, permitted: profile.requestedNames ?? [])
      return Self.text(try attributes.der, Self.attributesType)
    }
    router.post(RouterPath(path(Routes.estEnroll))) { [self] request, context in
      let profile = try await profile(context)?.name
      guard let credentials = BasicCredentials(request.headers[.authorization]) else {
        let detail = "send user and password, or user and enrollment token, by HTTP Basic"
        return challenge(Problem(.notAuthenticated, detail: detail), context)
      }
      let signingRequest = try await signingRequest(request)
      do {
        let token = try await token(credentials, context)
        let wanted = RegistrationGrant.Wanted(profile: profile, user: credentials.user)
        guard let device = try await enroll(signingRequest, token, wanted) else { return Self.waiting }
        return Self.issued(device)
      } catch let problem as Problem where problem.code == .notAuthenticated {
        return challenge(problem, context)
      }
    }
    router.post(RouterPath(path(Routes.estReenroll))) { [self] request, context in
      let device = try context.requireDevice()
      if let profile = try await profile(context)?.name { try await require(profile, of: device) }
      let signingRequest = try await signingRequest(request)
      guard try await isRenewal(signingRequest, of: device, context) else {
        throw Problem(
          .invalidSigningRequest,
          detail: "the request must have the subject and the alternative names of the certificate (RFC 7030 4.2.2)")
      }
      let renewed = try await RenewalCeremony(services: services)
        .renew(RenewalRequest(signingRequest: Base64Bytes(signingRequest)), over: device)
      return Self.issued(renewed)
    }
  }

  /// All that the issuer's devices may meet: its chain, that of the server's own authority, which may have issued the TLS
  /// certificate, and those before.
  private func authorities(beside issuer: CertificateAuthority) -> [[UInt8]] {
    let configuration = services.configuration
    let all = issuer.chain + configuration.authority.chain + configuration.previousAuthorities.flatMap(\.chain)
    return all.enumerated().filter { !all[..<$0.offset].contains($0.element) }.map(\.element)
  }

  /// The profile that the path's label names; nil without a label.
  ///
  /// - Throws: `.notFound` for another label.
  private func profile(_ context: ServerContext) async throws -> DeviceProfile? {
    guard let label = context.parameters.get("label") else { return nil }
    if Self.operations.contains(label) { throw Problem(.notFound) }
    return try await services.profile(ofLabel: label)
  }

  /// RFC 7030 3.2.2: no label is the path of an operation.
  private static let operations: Set<String> = Set(
    [Routes.estCertificates, Routes.estAttributes, Routes.estEnroll, Routes.estReenroll]
      .compactMap { $0.split(separator: "/").last.map(String.init) })

  /// - Throws: `.notPermitted` for a device of another profile.
  private func require(_ profile: String, of device: AuthenticatedDevice) async throws {
    let known = try await services.store.read { try $0.device(device.id)?.profile }
    guard known == profile else {
      throw Problem(.notPermitted, detail: "the device is of another profile than the label; use its label, or none")
    }
  }

  /// The enrollment token that comes as the password, or a session that the password opens.
  private func token(_ credentials: BasicCredentials, _ context: ServerContext) async throws -> BearerToken {
    if EnrollmentToken.isText(credentials.password) { return BearerToken(credentials.password) }
    let session = try await PasswordLoginCeremony(services: services).login(
      user: credentials.user, password: SecretBytes(password: credentials.password),
      from: LoginOrigin(peer: LoginOrigin(context).peer))
    return BearerToken(session.text)
  }

  /// Whether a request has the names of the shown certificate (RFC 7030 4.2.2), or those that the next one will have: the
  /// operator may have changed the profile or the device's name since.
  private func isRenewal(
    _ signingRequest: [UInt8], of shown: AuthenticatedDevice, _ context: ServerContext
  ) async throws -> Bool {
    let names = try await services.store.read { store in
      guard let device = try store.device(shown.id) else { throw Problem(.notAuthenticated) }
      let profile = try store.rules(ofProfile: device.profile)
      return try profile.names(of: device, store.requestedNames(of: device, profile))
    }
    if CertificateAuthority.isRequest(
      signingRequest, forClient: shown.id.description, user: shown.user.text, alternativeNames: names)
    {
      return true
    }
    guard let channel = context.connection?.channel,
      let certificate = try await channel.nioSSL_peerCertificate().get()
    else { return false }
    return CertificateAuthority.isRequest(signingRequest, forRenewalOf: try certificate.toDERBytes())
  }

  /// The keys under which a repeated request is registered, one after the other as the certificates before expire.
  private static let mostKeys = 8

  /// Registers a device. An EST client that repeats its request gets the same certificate; once that has expired, another. While the
  /// device waits for an approval, any request for its key continues that registration, since some clients sign each one anew; once the
  /// time for the approval is over, the same request waits again.
  ///
  /// - Returns: nil while the device waits for an approval.
  private func enroll(
    _ signingRequest: [UInt8], _ token: BearerToken, _ wanted: RegistrationGrant.Wanted
  ) async throws -> EnrolledDevice? {
    let name = CertificateAuthority.commonName(ofRequest: signingRequest)
    let registration = DeviceRegistration(
      name: name.flatMap { ShownName.isValid($0) ? $0 : nil } ?? "EST device",
      signingRequest: Base64Bytes(signingRequest))
    let path = wanted.profile.map { Routes.est(Routes.estEnroll, label: $0) } ?? Routes.estEnroll
    let digest = IdempotencyKey.digest(method: "POST", path: path, body: signingRequest)
    let ceremony = RegistrationCeremony(services: services, token: token, wanted: wanted, derivesKey: true)
    func register(_ name: String, _ digest: RequestDigest) async throws -> EnrolledDevice? {
      guard let key = IdempotencyKey(field: name) else { throw Problem(.internalError) }
      let answer = try await ceremony.register(registration, key: key, digest: digest)
      guard answer.status == 201 else { return nil }
      return try JSONDecoder().decode(EnrolledDevice.self, from: Data(answer.body))
    }
    if let waiting = try await waitingRegistration(
      ofKey: CertificateIssuer.publicKey(of: registration.signingRequest), wanted)
    {
      return try await register(waiting.request, waiting.digest)
    }
    // Derived, so that a repetition fills no other place.
    let first = "est-\(Hexadecimal.encode(digest.bytes))"
    for number in 1..<Self.mostKeys {
      do {
        return try await register(number == 1 ? first : "\(first)-\(number)", digest)
      } catch let problem as Problem where problem.code == .idempotencyMismatch {}
    }
    return try await register("\(first)-\(Self.mostKeys)", digest)
  }

  /// The user's registration that waits, or was rejected, and has this key.
  private func waitingRegistration(
    ofKey key: [UInt8], _ wanted: RegistrationGrant.Wanted
  ) async throws -> PendingDeviceRecord? {
    let now = services.now
    return try await services.store.read { store in
      guard let user = try wanted.user.flatMap({ try store.user(entered: $0) })?.name,
        let waiting = try store.pendingDevice(identityKey: key, of: user, now: now),
        wanted.profile == nil || wanted.profile == waiting.profile
      else { return nil }
      return waiting
    }
  }

  /// The request's body: base64 of PKCS #10, with or without line breaks (RFC 8951 3.1).
  private func signingRequest(_ request: Request) async throws -> [UInt8] {
    let type = request.headers[.contentType]?.split(separator: ";").first?.trimmingCharacters(in: .whitespaces)
    guard type?.lowercased() == Self.requestType else {
      throw Problem(.unsupportedMediaType, detail: "send base64 of PKCS #10 as \(Self.requestType)")
    }
    let text = try await request.bytes(within: services.limits).filter { ![0x09, 0x0A, 0x0D, 0x20].contains($0) }
    guard let der = try? Base64.decode(String(decoding: text, as: UTF8.self)) else {
      throw Problem(
        .invalidSigningRequest,
        detail: "the body is not base64: send the DER in base64, without BEGIN and END lines")
    }
    return der
  }

  // MARK: Responses

  private static func text(_ der: [UInt8], _ type: String) -> Response {
    var response = Response.bytes(Array(Base64.encode(der).utf8), type: type)
    // RFC 8951 3.1: clients ignore it, but older ones look for it.
    if let name = HTTPField.Name("Content-Transfer-Encoding") { response.headers[name] = "base64" }
    return response
  }

  /// RFC 7030 4.2.3: the issued certificate alone.
  private static func issued(_ device: EnrolledDevice) -> Response {
    text(CMSSignedData.encoded(device.certificates.prefix(1).map(\.bytes)), issuedType)
  }

  /// RFC 7030 4.2.3: the client repeats the request later. Its approver may take a while.
  private static var waiting: Response {
    let text = "The device waits for an approval. Repeat the same request later.\n"
    var response = Response.bytes(Array(text.utf8), type: waitingType, status: .accepted)
    response.headers[.retryAfter] = "60"
    return response
  }

  private func challenge(_ problem: Problem, _ context: ServerContext) -> Response {
    services.metrics.refused(problem.code)
    var response = ProblemAnswer.response(problem, requestID: context.requestID)
    response.headers[.wwwAuthenticate] = "Basic realm=\"latchkey\", charset=\"UTF-8\""
    return response
  }
}
