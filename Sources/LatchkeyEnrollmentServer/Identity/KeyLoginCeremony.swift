internal import Crypto
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// A login by the approval key, without a password (Examples/004-touch-id): the key signs a challenge, and its enclave verifies
/// user presence. Unknown devices, devices without such a key, revoked ones, wrong signatures and challenges of any other kind
/// all get the same response in the same time.
struct KeyLoginCeremony: Sendable {
  let services: Services

  /// - Parameter shown: the device whose certificate was presented; it must be the one that logs in.
  /// - Returns: a session that is valid only over the device's certificate.
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

  /// The device whose approval key has signed; the challenge is consumed in any case.
  private func proved(
    _ login: KeyLogin, over shown: AuthenticatedDevice?, now: Int64, in store: any StoreTransaction
  ) throws -> DeviceRecord? {
    let known = try Identifier(login.device).flatMap { try store.device($0) }
    let id = Identifier(login.device) ?? Self.decoy.id
    var device = known ?? Self.decoy
    device.approvalKey = device.approvalKey ?? Self.decoy.approvalKey
    let verifier = ApprovalVerifier(purpose: .login, content: nil, now: now)
    let approval = Approval(challengeID: login.challengeID, signature: login.signature)
    device.id = id
    let isSigned = try verifier.verify(approval, by: device, in: store)
    guard isSigned, let known, known.approvalKey != nil, known.revoked == nil,
      // A session of a disabled user would count once the user is enabled.
      !known.isUserDisabled, shown == nil || shown?.id == known.id,
      services.policy.takes(approvalEvidence: known.approvalEvidence)
    else { return nil }
    return known
  }

  /// A dummy device for the verification if there is none: its key's private half does not exist.
  private static let decoy = DeviceRecord(
    id: .random(), user: "", name: "", created: 0, identityKey: [],
    approvalKey: Array(P256.Signing.PrivateKey().publicKey.x963Representation))
}
