internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// Issues challenges, each valid once, for one minute, and for one device, purpose and content.
///
/// Any caller may request one for a login or a late renewal of any device: the response does not reveal whether the device exists, or has an
/// approval key.
struct ChallengeCeremony: Sendable {
  let services: Services

  /// - Parameter device: returns the device whose certificate was presented.
  /// - Throws: ``Problem``: `.malformedRequest`, `.certificateRequired`, `.notPermitted`.
  func challenge(_ request: ChallengeRequest, over device: () throws(Problem) -> AuthenticatedDevice) async throws
    -> Challenge
  {
    let named = try request.device.map { text throws(Problem) in
      guard let id = Identifier(text) else {
        throw Problem(.malformedRequest, detail: "a device is named by 32 hexadecimal digits in lower case")
      }
      return id
    }
    let id: Identifier
    switch request.purpose {
    case .login, .renewal: id = if let named { named } else { try device().id }
    case .attestation, .enrollment, .service:
      id = try device().id
      guard named == nil || named == id else {
        throw Problem(.notPermitted, detail: "a device asks for its own challenges")
      }
    }
    guard request.purpose.hasContent == (request.content != nil), request.content?.bytes.count ?? 32 == 32 else {
      throw Problem(
        .malformedRequest,
        detail: "a challenge for a service, a renewal or a new device has a content of 32 bytes, the others have none")
    }
    if case .service(let name) = request.purpose,
      !services.configuration.services.contains(where: { $0.name == name })
    {
      throw Problem(.malformedRequest, detail: "this server has no service \(name)")
    }
    if request.purpose == .renewal { try await ExpiredRenewalCeremony(services: services).requireOffer() }
    let lifetime = services.policy.challengeLifetime
    let record = ChallengeRecord(
      id: .random(), value: services.random(32), device: id, purpose: request.purpose,
      content: request.content.map { ApprovedDigest($0.bytes) }, expires: services.now + lifetime)
    try await services.store.write { try $0.addChallenge(record) }
    return Challenge(
      id: record.id.description, value: Base64Bytes(record.value), expiresIn: Int(lifetime))
  }
}
