internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// What permits a registration: a session that a password opened, or a one-time enrollment token.
struct RegistrationGrant: Sendable {
  let user: UserName
  let profile: DeviceProfile
  let way: DeviceProfile.Way
  /// The only name that the device may have.
  let deviceName: String?
  /// The enrollment token's identifier.
  let token: Identifier?
  /// The enrollment token's use by this same request before.
  let use: EnrollmentTokenRecord.Use?

  /// What a request states besides its token, which must agree with it.
  struct Wanted: Sendable {
    /// The device's profile; nil: the token's, or `default` for a session.
    var profile: String?
    /// The user's name as entered, which an enrollment token must be for; nil: the token says it alone.
    var user: String?
  }

  /// Reads the grant of a bearer token.
  ///
  /// - Parameters:
  ///   - request: the Idempotency-Key of the registration; with it, a used token permits the repetition of its
  ///     registration. Nil: none can be repeated.
  ///   - wanted: what the request states besides the token.
  /// - Throws: `.notAuthenticated` for an unknown, used, revoked or expired token, the same for each; `.notPermitted` if
  ///   the profile or the server does not permit this way.
  init(
    _ bearer: BearerToken, request: String?, wanted: Wanted = Wanted(), in store: any StoreTransaction, now: Int64,
    policy: ServerPolicy
  ) throws {
    if bearer.isForEnrollment {
      guard let token = try store.enrollmentToken(hash: bearer.hash),
        try store.user(named: token.user)?.disabled == nil,
        token.isUsable(at: now) || (token.use != nil && token.use?.request == request)
      else { throw Self.refused }
      if let entered = wanted.user, try store.user(entered: entered)?.name != token.user { throw Self.refused }
      guard wanted.profile == nil || wanted.profile == token.profile else {
        throw Problem(
          .notPermitted,
          detail: "the enrollment token is for devices of the profile \(token.profile); use its label, or none")
      }
      user = token.user
      profile = try store.rules(ofProfile: token.profile)
      way = .token
      (deviceName, self.token, use) = (token.deviceName, token.id, token.use)
    } else {
      guard let session = try store.token(hash: bearer.hash, now: now) else {
        throw Problem(.notAuthenticated, detail: "the session has ended; log in again")
      }
      guard session.device == nil else {
        throw Problem(.notPermitted, detail: "only a session that a password opened registers a device")
      }
      guard policy.allowsPasswordEnrollment else {
        throw Problem(
          .notPermitted,
          detail: "a password alone registers no device here; ask who runs the service for an enrollment token")
      }
      user = session.user
      profile = try store.rules(ofProfile: wanted.profile ?? DeviceProfile.defaultName)
      way = .password
      (deviceName, token, use) = (nil, nil, nil)
    }
    try profile.require(way)
  }

  /// Permits a device's name. Where certificates hold it, the token prescribes it or the operator approves it: an approval by
  /// another device of the same user is no check of a name.
  ///
  /// - Throws: `.notPermitted` if the token is for another one, or if a name that nobody checks would get into a certificate.
  func permit(name: String) throws(Problem) {
    if let deviceName {
      guard deviceName.utf8.elementsEqual(name.utf8) else {
        throw Problem(.notPermitted, detail: "the enrollment token is for a device of another name")
      }
    } else if profile.namesDevices, profile.approval != .operator {
      throw Problem(
        .notPermitted,
        detail: "certificates of the profile \(profile.name) hold the device's name, so an enrollment token must name "
          + "the device; ask who runs the service for one")
    }
  }

  /// Who vouches for the device's name so far.
  var nameApproval: NameApproval? { deviceName == nil ? nil : .token }

  /// Uses the grant up for a device.
  ///
  /// - Throws: `.notAuthenticated` for a token that was used, revoked or has expired meanwhile; `.notPermitted` if the
  ///   session has registered another device.
  func claim(
    _ bearer: BearerToken, device: Identifier, request: String?, in store: any StoreTransaction, now: Int64
  ) throws {
    guard token != nil else {
      guard try store.claimRegistration(token: bearer.hash) else { throw Self.usedSession }
      return
    }
    let use = EnrollmentTokenRecord.Use(time: now, request: request ?? "", device: device)
    guard try store.useEnrollmentToken(hash: bearer.hash, by: use) else { throw Self.refused }
  }

  /// The fields of an audit entry that say how a device came.
  var auditFields: [String: String] {
    var fields = ["by": way.rawValue, "profile": profile.name]
    if let token { fields["token"] = token.description }
    return fields
  }

  /// One answer for all: a caller must not learn which tokens exist.
  static let refused = Problem(
    .notAuthenticated,
    detail: "the enrollment token is unknown, was used or revoked, or has expired; ask for another one")
  private static let usedSession = Problem(
    .notPermitted, detail: "this session has registered a device; log in again for another")
}
