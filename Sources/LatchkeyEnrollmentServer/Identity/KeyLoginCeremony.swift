internal import Crypto
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// A login by the approval key, without a password (Examples/004-touch-id): the key signs a challenge, and its enclave asks
/// whether the user is there. Unknown devices, devices without such a key, revoked ones, wrong signatures and challenges of any
/// other kind get one answer, in the same time.
struct KeyLoginCeremony: Sendable {
  let services: Services

  /// - Parameter shown: the device whose certificate was shown; it must be the one that logs in.
  /// - Returns: a session that counts over the device's certificate alone.
  /// - Throws: `.notAuthenticated`.
  func login(_ login: KeyLogin, over shown: AuthenticatedDevice?) async throws -> SessionToken {
    let (now, random, policy) = (services.now, services.random(32), services.policy)
    let session: SessionToken? = try await services.store.write { store in
      guard let device = try proved(login, over: shown, now: now, in: store) else { return nil }
      let session = SessionToken(user: device.user, device: device.id, random: random, now: now, policy: policy)
      try store.addToken(session.record)
      try store.audit(
        AuditEntry(event: "login.key", time: now, fields: ["user": device.user.text, "device": device.id.description]))
      return session
    }
    guard let session else {
      if let row = services.refusedLogins.row(now: services.time) {
        let fields = ["reason": "no proof of a key"].merging(row > 0 ? ["others": "\(row)"] : [:]) { $1 }
        try await services.store.write { try $0.audit(AuditEntry(event: "login.refused", time: now, fields: fields)) }
      }
      throw Problem(.notAuthenticated, detail: "no login by this key; ask for a fresh challenge")
    }
    return session
  }

  /// The device whose approval key has signed; the challenge is taken whatever comes of it.
  private func proved(
    _ login: KeyLogin, over shown: AuthenticatedDevice?, now: Int64, in store: any StoreTransaction
  ) throws -> DeviceRecord? {
    let known = try Identifier(login.device).flatMap { try store.device($0) }
    let id = Identifier(login.device) ?? Self.nobody.id
    var device = known ?? Self.nobody
    device.approvalKey = device.approvalKey ?? Self.nobody.approvalKey
    let verifier = ApprovalVerifier(purpose: .login, content: nil, now: now)
    let approval = Approval(challengeID: login.challengeID, signature: login.signature)
    device.id = id
    let isSigned = try verifier.verify(approval, by: device, in: store)
    guard isSigned, let known, known.approvalKey != nil, known.revoked == nil, shown == nil || shown?.id == known.id,
      services.policy.takes(approvalEvidence: known.approvalEvidence)
    else { return nil }
    return known
  }

  /// Whose signature is verified where there is no device: a key whose private half nobody has.
  private static let nobody = DeviceRecord(
    id: .random(), user: "", name: "", created: 0, identityKey: [],
    approvalKey: Array(P256.Signing.PrivateKey().publicKey.x963Representation))
}
