internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import LatchkeyPKCS12

/// The logins of an old service (`LatchkeyLedger`), which are this one's as far as users and devices go. Passwords are counted as usual; a PIN counts as a password of its device's user, so that its ten
/// thousand values cannot be tried.
package struct LegacyLogin: Sendable {
  let services: Services

  package init(services: Services) { self.services = services }

  /// Logs in by password; a session over the user's device is valid for that device only.
  package func login(user: String, password: String, from origin: LoginOrigin) async throws -> String {
    let session = try await passwordSession(user, password, from: origin)
    guard let device = origin.device, device.user == session.record.user else { return session.text }
    return try await CertificateLoginCeremony(services: services).login(device).text
  }

  /// Logs in by password and registers a device: returns its file, protected by the PIN, and a session for that device only.
  package func register(
    user: String, password: String, pin: String, from origin: LoginOrigin
  ) async throws -> (token: String, file: [UInt8]) {
    let session = try await passwordSession(user, password, from: LoginOrigin(peer: origin.peer))
    let registration = RegistrationCeremony(services: services, token: BearerToken(session.text))
    let enrolled = try await ServerMadeIdentityCeremony(registration, profile: .compatible, shortestPassphrase: 1)
      .register(ServerMadeIdentityRequest(name: "documented client", passphrase: pin))
    guard let device = Identifier(enrolled.device), let file = enrolled.pkcs12 else { throw Problem(.internalError) }
    let hash = try await services.passwords.hash(SecretBytes(password: pin))
    let own = SessionToken(
      user: session.record.user, device: device, random: services.random(32), now: services.now, policy: services.policy
    )
    try await services.store.write { store in
      try store.setSetting(Self.setting(of: device), to: Array(hash.utf8))
      // The user may have been disabled meanwhile, which ended all sessions.
      guard try store.user(named: own.record.user)?.disabled == nil else { throw PasswordLoginCeremony.refusal }
      try store.addToken(own.record)
    }
    return (own.text, file.bytes)
  }

  /// Logs in by certificate and PIN.
  ///
  /// - Parameter pin: nil if it could not be decoded.
  package func login(_ device: AuthenticatedDevice, pin: String?) async throws -> String {
    let (user, hash) = try await services.store.read { store in
      (try store.user(named: device.user), try store.setting(Self.setting(of: device.id)))
    }
    let text = hash.map { String(decoding: $0, as: UTF8.self) }
    let check = PasswordCheck(
      services: services, user: device.user, origin: LoginOrigin(device: device), isOwnDevice: true)
    let verdict = try await check.verdict(SecretBytes(password: pin ?? ""), text)
    // The PIN's hash belongs to the device, so no hash of the user is replaced.
    let attempt = check.attempt(on: user, .init(isRight: verdict.isRight && pin != nil))
    let isIn = try await services.store.write { store in
      guard try attempt.verify(in: store) else { return false }
      if let stronger = verdict.stronger {
        try store.setSetting(Self.setting(of: device.id), to: Array(stronger.utf8))
      }
      return true
    }
    guard isIn else {
      check.fail()
      throw PasswordLoginCeremony.refusal
    }
    check.succeed()
    return try await CertificateLoginCeremony(services: services).login(device).text
  }

  private func passwordSession(_ user: String, _ password: String, from origin: LoginOrigin) async throws
    -> SessionToken
  {
    try await PasswordLoginCeremony(services: services)
      .login(user: user, password: SecretBytes(password: password), from: origin)
  }

  /// The setting that stores the hash of a device's PIN.
  private static func setting(of device: Identifier) -> String { "documented.pin.\(device)" }
}
