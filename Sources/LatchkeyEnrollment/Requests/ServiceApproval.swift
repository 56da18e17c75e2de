internal import Crypto
public import LatchkeyEnrollmentProtocol

extension EnrollmentClient {
  /// Approves a request to a service of the enrollment server: signs the challenge with which the service refused the request
  /// (`Problem.challenge`, of a problem `.approvalRequired`) by this device's approval key, once its user agrees. Send the request again with
  /// it (``ServiceRequest/approval``), under the same idempotency key. It is good once, for this content.
  ///
  /// Take a challenge only from a response that the server's key has signed (``ServiceRequest/requiresSignedResponse``).
  ///
  /// - Parameters:
  ///   - content: the text of what is approved, as the service defines it for this kind of request: it compares the SHA-256. Compose it of
  ///     what is sent, not of what the server says.
  ///   - challenge: the challenge.
  ///   - service: the service's name.
  ///   - reason: what the user is asked.
  /// - Throws: ``EnrollmentError``: `.misuse` if no service has such a name; `.keychain` if there is no approval key, or the user does not
  ///   agree. `CancellationError`.
  public func approval(
    of content: String, challenge: Challenge, for service: String, reason: String
  ) async throws -> Approval {
    guard let purpose = ChallengePurpose(rawValue: "service-\(service)") else {
      throw EnrollmentError.noServiceName
    }
    return try await approval(
      ofDigest: Array(SHA256.hash(data: Array(content.utf8))), challenge, purpose, reason: reason
    ).approval
  }

  /// The approval key's signature of a challenge for this content, and the key's public half, X9.63.
  func approval(
    ofDigest digest: [UInt8], _ challenge: Challenge, _ purpose: ChallengePurpose, reason: String
  ) async throws -> (approval: Approval, publicKey: [UInt8]) {
    let signature = try await approvalSignature(
      of: challenge.signedMessage(purpose: purpose, content: digest), reason: reason)
    return (Approval(challengeID: challenge.id, signature: Base64Bytes(signature.bytes)), signature.publicKey)
  }
}

extension EnrollmentError {
  static let noServiceName = EnrollmentError.misuse(
    "a service's name has 1 to 16 characters a-z and 0-9, the first a letter")

  /// This error of a user who was not asked, or did not agree, with what follows: `nothing was booked`.
  func stating(_ consequence: String) -> EnrollmentError {
    switch self {
    case .keychain(let status, let detail): .keychain(status: status, "\(consequence): \(detail)")
    case .misuse(let detail): .misuse("\(consequence): \(detail)")
    default: self
    }
  }
}
