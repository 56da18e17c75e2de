internal import AsyncHTTPClient
internal import Crypto
internal import Foundation
package import LatchkeyEnrollmentProtocol
internal import NIOCore

/// What a user approves if the service asks for it.
package struct StatedApproval: Sendable {
  /// The text of what is approved, to the byte.
  package var content: String
  /// The service's name.
  package var service: String
  /// What the user is asked.
  package var reason: String
  /// Called with the refusal that asks for the approval, before the user is asked.
  package var onAsked: (@Sendable (ServiceResponse) -> Void)?

  /// - Parameters:
  ///   - content: composed by the user of what is sent, never of what the service says.
  ///   - service: its name.
  ///   - reason: what the user is asked.
  package init(of content: String, for service: String, reason: String) {
    self.content = content
    self.service = service
    self.reason = reason
  }
}

/// A response to a request that may need an approval.
package struct ApprovableResponse: Sendable {
  /// What became of an approval.
  package enum Outcome: Sendable, Hashable {
    /// The service asked for none, or none was stated.
    case notSent
    /// It was sent, and the service asked for none any more.
    case sent
    /// It was sent, and the service asked for one again.
    case notAccepted
    /// The same, and the challenge had ended by then, after so many seconds.
    case late(lifetime: Int)
  }

  /// The response, with all its content to be read.
  package let response: ServiceResponse
  /// Why an enrollment server refuses; nil for another response.
  package let refusal: Problem?
  /// What became of the approval.
  package let outcome: Outcome
}

extension EnrollmentClient {
  /// The most seconds of a challenge; it is the server's number.
  private static let longestLifetime = 1 << 30

  /// Sends a request as ``send(_:)`` does. If the service asks for an approval, and one is stated, the user is asked once, and the same
  /// request is sent once more with it: the same content, read from its file once, under the same idempotency key.
  ///
  /// - Throws: as ``send(_:)`` and ``approval(of:challenge:for:reason:)``; `.cannotVerify` if the server's key has not signed the challenge, or
  ///   the second refusal.
  package func send(_ request: ServiceRequest, approving stated: StatedApproval?) async throws -> ApprovableResponse {
    let (first, content) = try await sendOnce(request)
    let (refusal, refused) = try await first.refusal(to: request.method, isExpected: stated != nil)
    guard let stated, let refusal, refusal.code == .approvalRequired else {
      return ApprovableResponse(response: refused, refusal: refusal, outcome: .notSent)
    }
    guard refused.isVerified, let challenge = refusal.challenge else {
      throw EnrollmentError.cannotVerify("the challenge is not signed by the enrollment server's key")
    }
    guard let purpose = ChallengePurpose(rawValue: "service-\(stated.service)") else {
      throw EnrollmentError.noServiceName
    }
    stated.onAsked?(refused)
    let asked = configuration.now
    let publicKey: [UInt8]
    var approved = request
    do {
      (approved.approval, publicKey) = try await approval(
        ofDigest: Array(SHA256.hash(data: Array(stated.content.utf8))), challenge, purpose, reason: stated.reason)
    } catch let error as EnrollmentError {
      throw error.stating("nothing was approved")
    }
    // The server decides whether the challenge still counts, so it is sent in any case.
    let (second, _) = try await sendOnce(approved, content)
    let (again, response) = try await second.refusal(to: request.method, isExpected: true)
    if again?.code == .approvalRequired {
      guard response.isVerified else {
        throw EnrollmentError.cannotVerify(
          "the answer to the approval is not signed by the enrollment server's key: the request may have been carried out"
        )
      }
      let lifetime = min(max(challenge.expiresIn, 0), Self.longestLifetime)
      // Both clocks cut seconds off.
      let isLate = configuration.now - asked >= Int64(lifetime) - 1
      return ApprovableResponse(
        response: response, refusal: again, outcome: isLate ? .late(lifetime: lifetime) : .notAccepted)
    }
    // A repeated response does not confirm this signature, nor does a refusal.
    if response.isVerified, response.status < 400, response.field(HeaderNames.idempotencyReplayed) != "true" {
      try? await noteApprovalKey(publicKey)
    }
    return ApprovableResponse(response: response, refusal: again, outcome: .sent)
  }
}

extension ServiceResponse {
  /// No problem of an enrollment server is longer.
  private static let longestProblem = 64 * 1024

  /// The problem with which an enrollment server forbids a request (status 403), and the same response with its content to be read.
  ///
  /// - Parameters:
  ///   - method: of the request.
  ///   - isExpected: whether its content is collected whatever its length; otherwise only that of a stated length is, so that long
  ///     content, and content without end, comes by pieces as ever.
  fileprivate func refusal(
    to method: String, isExpected: Bool
  ) async throws -> (problem: Problem?, response: ServiceResponse) {
    let length = field("content-length").flatMap { Int($0) } ?? (isExpected ? 0 : .max)
    guard status == 403, length <= Self.longestProblem, method != "HEAD", let type = field("content-type"),
      type.split(separator: ";").first?.trimmingCharacters(in: .whitespaces).lowercased() == "application/problem+json"
    else { return (nil, self) }
    let bytes = try await body.collect(upTo: Self.longestProblem)
    let read = ServiceResponse(
      status: status, version: version, fields: fields, isVerified: isVerified,
      body: Body(source: .bytes(ByteBuffer(bytes: bytes)), server: body.server, digest: nil, deadline: body.deadline))
    let problem = try? JSON.decode(Problem.self, bytes)
    return (problem?.status == status ? problem : nil, read)
  }
}
