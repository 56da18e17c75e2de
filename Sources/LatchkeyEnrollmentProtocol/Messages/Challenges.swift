internal import Crypto
internal import Foundation

/// The purpose of a challenge. A challenge is invalid for any other purpose.
public enum ChallengePurpose: String, Codable, Sendable, CaseIterable {
  /// To log in by the approval key.
  case login
  /// To approve one transfer.
  case transfer
  /// To attest an approval key.
  case attestation
  /// To renew a certificate after its end.
  case renewal
  /// To approve or reject one new device.
  case enrollment

  /// Whether a challenge of this purpose has a content.
  package var hasContent: Bool { self == .transfer || self == .renewal || self == .enrollment }
}

/// A request for a challenge: the body of ``Routes/challenges``.
public struct ChallengeRequest: Codable, Sendable, Hashable {
  /// The purpose.
  public var purpose: ChallengePurpose
  /// The device; for a login or a renewal without a certificate to name it.
  public var device: String?
  /// SHA-256 of the signed content: a transfer's (``Transfer/digest``), of the signing request of a renewal, or of the decision about
  /// a new device (``PendingDevice/digest(isApproved:)``); base64.
  public var content: Base64Bytes?

  /// Creates a request.
  public init(purpose: ChallengePurpose, device: String? = nil, content: Base64Bytes? = nil) {
    self.purpose = purpose
    self.device = device
    self.content = content
  }
}

/// A challenge: valid once, for a minute, for one device, purpose and content.
public struct Challenge: Codable, Sendable, Hashable {
  /// The challenge's identifier.
  public var id: String
  /// 32 random bytes; base64.
  public var value: Base64Bytes
  /// Seconds until it expires.
  public var expiresIn: Int

  /// Creates a challenge.
  public init(id: String, value: Base64Bytes, expiresIn: Int) {
    self.id = id
    self.value = value
    self.expiresIn = expiresIn
  }

  /// The message that the approval key signs: a fixed text, the purpose, the challenge and the SHA-256 of the content (32 zero
  /// bytes for none). Each part is terminated or of fixed length, so that no two challenges share a message.
  public func signedMessage(purpose: ChallengePurpose, content: [UInt8]? = nil) -> [UInt8] {
    Array("latchkey-challenge-v1\n\(purpose.rawValue)\n".utf8) + value.bytes
      + (content ?? [UInt8](repeating: 0, count: SHA256.byteCount))
  }
}

/// The approval key's signature for one request, in the field ``HeaderNames/approval``.
public struct Approval: Codable, Sendable, Hashable {
  /// The identifier of the answered challenge.
  public var challengeID: String
  /// ECDSA P-256 with SHA-256 over ``Challenge/signedMessage(purpose:content:)``, X9.62 DER; base64.
  public var signature: Base64Bytes

  /// Creates an approval.
  public init(challengeID: String, signature: Base64Bytes) {
    self.challengeID = challengeID
    self.signature = signature
  }
}
