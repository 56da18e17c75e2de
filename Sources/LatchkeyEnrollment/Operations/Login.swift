internal import Foundation
public import LatchkeyEnrollmentProtocol

/// The place where the device's key is generated.
public enum IdentityOrigin: String, Sendable, Hashable, CaseIterable {
  /// In this device's enclave; only a signing request is sent.
  case madeHere
  /// At the server, which sends a PKCS#12 file, as in `Examples/002-sealed-transfer`, for services without signing requests.
  case madeByServer
}

/// The result of a login.
public struct LoginOutcome: Sendable {
  /// The user.
  public let user: String
  /// The device's identity.
  public let identity: EnrolledIdentity
  /// Whether this login has registered the device.
  public let isNewlyRegistered: Bool
  /// The user's accounts, or the error of fetching them; the login is valid without them. None at a server without the sample bank.
  public let accounts: Result<[AccountSummary], EnrollmentError>
}

extension LoginOutcome {
  /// Whether the server has reported meanwhile that the device is revoked.
  fileprivate var isRevoked: Bool {
    if case .failure(.problem(let problem)) = accounts { problem.code == .revoked } else { false }
  }
}

extension EnrollmentClient {
  /// Logs a user in with a password. A device without an identity that is valid here and at the server is registered; then the
  /// accounts are fetched by a separate operation with its own events.
  ///
  /// - Parameters:
  ///   - deviceName: the device's display name at registration, 1 to 64 characters.
  ///   - origin: where its key is generated at registration.
  public func logIn(
    user: String, password: String, deviceName: String, origin: IdentityOrigin = .madeHere
  ) -> EnrollmentOperation<LoginOutcome> {
    operation(.login) { [self] in
      var session: LoginAnswer?
      if let identity = try await identityIfValid(),
        UserName.candidates(entered: user).contains(UserName(stored: identity.user))
      {
        let answer = try await self.session(user, password, over: identity)
        // This response is unsigned, so it cannot end an identity: if it does not name this device, the server is asked for a
        // signed status.
        var counts = answer.device == identity.device
        if !counts { counts = try await self.counts(identity) }
        if counts {
          let outcome = try await outcome(identity, isNewlyRegistered: false)
          guard outcome.isRevoked else { return outcome }
        } else if answer.device == nil {
          // The session is one of the password only, which may register a device.
          session = answer
        }
      }
      if session == nil { session = try await self.session(user, password, over: nil) }
      guard let session else { throw EnrollmentError.notEnrolled }
      let identity = try await registered(name: deviceName, origin: origin, token: session.token)
      return try await outcome(identity, isNewlyRegistered: true)
    }
  }

  /// Logs in by the approval key: it signs the server's challenge once the user is present, and no password is sent
  /// (`Examples/004-touch-id`).
  public func logInByKey() -> EnrollmentOperation<LoginOutcome> {
    operation(.login) { [self] in
      guard let record = try await record(), let device = record.device else { throw EnrollmentError.notEnrolled }
      guard !record.hasApprovalKey || record.approvalKeyLabel == configuration.approvalKeyLabel else {
        throw EnrollmentError.misuse(
          "this device logs in by the approval key \"\(record.approvalKeyLabel)\", which it has registered, and by no other"
        )
      }
      // Fails before the prompt for a key that the server does not know.
      try await requireApprovalKey()
      let identity = try await validIdentity()
      let over = Call.Proof.certificate(answerIsSigned: false)
      let asked = try Call.send(
        Routes.challenges, ChallengeRequest(purpose: .login, device: device), over, isSafeTwice: true)
      let challenge = try await messenger.send(asked, as: identity.signer).decode(Challenge.self)
      let signature = try await approvalSignature(
        of: challenge.signedMessage(purpose: .login), reason: "log in to \(configuration.server.host)")
      // Not repeated: the challenge is valid once.
      let login = try Call.send(
        Routes.keyLogin, KeyLogin(challengeID: challenge.id, device: device, signature: Base64Bytes(signature.bytes)),
        over)
      let session = try await messenger.send(login, as: identity.signer).decode(LoginAnswer.self)
      try await noteApprovalKey(signature.publicKey)
      try await keep(session)
      return try await outcome(identity, isNewlyRegistered: false)
    }
  }

  /// Logs in by certificate only.
  public func logInByCertificate() -> EnrollmentOperation<LoginOutcome> {
    operation(.login) { [self] in
      let identity = try await validIdentity()
      let call = Call(
        method: "POST", path: Routes.certificateLogin, proof: .certificate(answerIsSigned: false), isSafeTwice: true)
      try await keep(messenger.send(call, as: identity.signer).decode(LoginAnswer.self))
      return try await outcome(identity, isNewlyRegistered: false)
    }
  }

  /// Opens a session by password. Not repeated after it may have arrived, because wrong passwords are counted.
  private func session(
    _ user: String, _ password: String, over identity: EnrolledIdentity?
  ) async throws -> LoginAnswer {
    let call = try Call.send(
      Routes.login, PasswordLogin(user: user, password: password),
      identity == nil ? .none : .certificate(answerIsSigned: false))
    let session = try await messenger.send(call, as: identity?.signer).decode(LoginAnswer.self)
    try await keep(session)
    return session
  }

  /// Whether the server states, in a signed response, that a device is valid.
  ///
  /// - Throws: `.cannotVerify` for an unsigned response that denies it.
  func counts(_ identity: EnrolledIdentity) async throws -> Bool {
    do {
      _ = try await messenger.send(.get(Routes.device, .certificate(answerIsSigned: true)), as: identity.signer)
      return true
    } catch let refusal as Refusal {
      switch refusal.problem.code {
      case .revoked, .notAuthenticated, .notPermitted, .certificateRequired: break
      default: throw refusal
      }
      guard refusal.isSigned else {
        throw EnrollmentError.cannotVerify(
          "an unsigned answer says that this device is no longer valid; it may not be the server's: nothing was deleted. If the server "
            + "was set up anew, forget this enrollment, and enroll again")
      }
      return false
    }
  }

  /// The identity, if it is valid now.
  func identityIfValid() async throws -> EnrolledIdentity? {
    do {
      return try await validIdentity()
    } catch EnrollmentError.notEnrolled {
      return nil
    } catch EnrollmentError.identityExpired {
      return nil
    }
  }

  private func outcome(_ identity: EnrolledIdentity, isNewlyRegistered: Bool) async throws -> LoginOutcome {
    let fetched: Result<[AccountSummary], EnrollmentError>
    do {
      fetched = .success(try await accounts().value)
    } catch EnrollmentError.problem(let problem) where problem.code == .notFound {
      // A server without the sample bank has no such route.
      fetched = .success([])
    } catch let error as EnrollmentError {
      fetched = .failure(error)
    }
    return LoginOutcome(
      user: identity.user, identity: identity, isNewlyRegistered: isNewlyRegistered, accounts: fetched)
  }
}
