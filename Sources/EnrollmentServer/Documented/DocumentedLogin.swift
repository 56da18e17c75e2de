internal import EnrollmentProtocol
internal import EnrollmentStore
internal import PKCS12

/// The old service's logins. Passwords are counted as everywhere; a PIN counts as a password of its device's user, so that ten
/// thousand of them cannot be tried.
struct DocumentedLogin: Sendable {
  let services: Services

  /// A session by password: over the user's device, for that device alone.
  func login(_ credentials: BasicCredentials, over device: AuthenticatedDevice?) async throws -> String {
    let session = try await passwordSession(credentials)
    guard let device, device.user == session.record.user else { return session.text }
    return try await CertificateLoginCeremony(services: services).login(device).text
  }

  /// A session by password, and a device with it: its file, under the PIN, and a session for that device alone.
  func register(_ credentials: BasicCredentials, pin: String) async throws -> (token: String, file: [UInt8]) {
    let session = try await passwordSession(credentials)
    let registration = RegistrationCeremony(services: services, token: BearerToken(session.text))
    let enrolled = try await ServerMadeIdentityCeremony(registration, profile: .compatible, shortestPassphrase: 1)
      .register(ServerMadeIdentityRequest(name: "documented client", passphrase: pin))
    guard let device = Identifier(enrolled.device), let file = enrolled.pkcs12 else { throw Problem(.internalError) }
    let hash = try await services.passwords.hash(Secret(password: pin), salt: services.random(16))
    let own = SessionToken(
      user: session.record.user, device: device, random: services.random(32), now: services.now, policy: services.policy
    )
    try await services.store.write { store in
      try store.setSetting(Self.setting(of: device), to: Array(hash.utf8))
      try store.addToken(own.record)
    }
    return (own.text, file.bytes)
  }

  /// A session by certificate and PIN.
  ///
  /// - Parameter pin: nil where none could be read.
  func login(_ device: AuthenticatedDevice, pin: String?) async throws -> String {
    let (user, hash) = try await services.store.read { store in
      (try store.user(named: device.user), try store.setting(Self.setting(of: device.id)))
    }
    let text = hash.map { String(decoding: $0, as: UTF8.self) }
    let isRight = try await services.passwords.check(Secret(password: pin ?? ""), against: text)
    let attempt = PasswordAttempt(
      checked: user, isRight: isRight && pin != nil, now: services.now, limits: services.limits)
    guard try await services.store.write({ try attempt.judge(in: $0) }) else { throw PasswordLoginCeremony.refusal }
    return try await CertificateLoginCeremony(services: services).login(device).text
  }

  private func passwordSession(_ credentials: BasicCredentials) async throws -> SessionToken {
    try await PasswordLoginCeremony(services: services)
      .login(user: credentials.user, password: Secret(password: credentials.password))
  }

  /// Where the hash of a device's PIN is kept.
  private static func setting(of device: Identifier) -> String { "documented.pin.\(device)" }
}
