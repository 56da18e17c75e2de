internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import LatchkeyByteCoding
internal import LatchkeyCertificateAuthority
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import LatchkeyPKCS12

/// Enrollment over Secure Transport (RFC 7030, with the clarifications of RFC 8951), for devices that speak it already. Each route
/// translates to a ceremony of the service: a login with a registration, or a renewal.
struct ESTRoutes: RouteGroup {
  static let certificatesType = "application/pkcs7-mime"
  static let issuedType = "application/pkcs7-mime; smime-type=certs-only"
  static let attributesType = "application/csrattrs"
  static let requestType = "application/pkcs10"

  private let services: Services

  init(_ services: Services) { self.services = services }

  func add(to router: Router<ServerContext>) {
    let configuration = services.configuration
    // All that devices may meet: the current authority's chain, and that of the one before.
    let certificates = CMSSignedData.encoded(
      configuration.authority.chain + configuration.previousAuthorities.flatMap(\.chain))
    router.get(RouterPath(Routes.estCertificates)) { _, _ in Self.text(certificates, Self.certificatesType) }
    router.get(RouterPath(Routes.estAttributes)) { _, _ in Self.text(Self.attributes, Self.attributesType) }
    router.post(RouterPath(Routes.estEnroll)) { [self] request, context in
      guard let credentials = BasicCredentials(request.headers[.authorization]) else {
        return Self.challenge(Problem(.notAuthenticated, detail: "send user and password by HTTP Basic"), context)
      }
      let signingRequest = try await signingRequest(request)
      let session: SessionToken
      do {
        session = try await PasswordLoginCeremony(services: services).login(
          user: credentials.user, password: SecretBytes(password: credentials.password),
          from: LoginOrigin(peer: LoginOrigin(context).peer))
      } catch let problem as Problem where problem.code == .notAuthenticated {
        return Self.challenge(problem, context)
      }
      return Self.issued(try await enroll(signingRequest, BearerToken(session.text)))
    }
    router.post(RouterPath(Routes.estReenroll)) { [self] request, context in
      let device = try context.requireDevice()
      let signingRequest = try await signingRequest(request)
      guard CertificateAuthority.isRequest(signingRequest, forClient: device.id.description, user: device.user.text)
      else {
        throw Problem(
          .invalidSigningRequest,
          detail: "the request must have the subject and the alternative names of the certificate (RFC 7030 4.2.2)")
      }
      let renewed = try await RenewalCeremony(services: services)
        .renew(RenewalRequest(signingRequest: Base64Bytes(signingRequest)), over: device)
      return Self.issued(renewed)
    }
  }

  /// Registers a device. An EST client that repeats its request gets the same certificate; once that has expired, another.
  private func enroll(_ signingRequest: [UInt8], _ token: BearerToken) async throws -> EnrolledDevice {
    let wanted = CertificateAuthority.commonName(ofRequest: signingRequest)
    let registration = DeviceRegistration(
      name: wanted.flatMap { ShownName.isValid($0) ? $0 : nil } ?? "EST device",
      signingRequest: Base64Bytes(signingRequest))
    let digest = IdempotencyKey.digest(method: "POST", path: Routes.estEnroll, body: signingRequest)
    let ceremony = RegistrationCeremony(services: services, token: token)
    func register(_ name: String) async throws -> EnrolledDevice {
      guard let key = IdempotencyKey(field: name) else { throw Problem(.internalError) }
      let answer = try await ceremony.register(registration, key: key, digest: digest)
      guard answer.status == 201 else {
        throw TryLater(.unavailable, seconds: 30, detail: "the device waits for an approval; repeat the request")
      }
      return try JSONDecoder().decode(EnrolledDevice.self, from: Data(answer.body))
    }
    do {
      return try await register("est-\(Hexadecimal.encode(digest.bytes))")
    } catch let problem as Problem where problem.code == .idempotencyMismatch {
      return try await register("est-\(Identifier.random())")
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
      throw Problem(.invalidSigningRequest, detail: "the body is not base64")
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

  private static func challenge(_ problem: Problem, _ context: ServerContext) -> Response {
    var response = ProblemAnswer.response(problem, requestID: context.requestID)
    response.headers[.wwwAuthenticate] = "Basic realm=\"latchkey\", charset=\"UTF-8\""
    return response
  }

  /// CsrAttrs (RFC 7030 4.5.2): ecdsa-with-SHA256, and ecPublicKey with prime256v1.
  private static let attributes: [UInt8] =
    [0x30, 0x21, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]
    + [0x30, 0x15, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    + [0x31, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
}
