internal import Crypto
internal import Foundation

/// What a challenge is for. One for one purpose is worth nothing for another.
public enum ChallengePurpose: String, Codable, Sendable, CaseIterable {
  /// To log in by the approval key.
  case login
  /// To approve one transfer.
  case transfer
  /// To attest an approval key.
  case attestation
}

/// Asks for a challenge: the body of ``Routes/challenges``.
public struct ChallengeRequest: Codable, Sendable, Hashable {
  /// What for.
  public var purpose: ChallengePurpose
  /// The device; for a login, where no certificate says it.
  public var device: String?
  /// SHA-256 of what is approved, for a transfer (``Transfer/digest``); base64.
  public var content: Base64Bytes?

  /// A request.
  public init(purpose: ChallengePurpose, device: String? = nil, content: Base64Bytes? = nil) {
    self.purpose = purpose
    self.device = device
    self.content = content
  }
}

/// A challenge: good once, for a minute, for one device, purpose and content.
public struct Challenge: Codable, Sendable, Hashable {
  /// Its name.
  public var id: String
  /// 32 random bytes; base64.
  public var value: Base64Bytes
  /// Seconds until it ends.
  public var expiresIn: Int

  /// A challenge.
  public init(id: String, value: Base64Bytes, expiresIn: Int) {
    self.id = id
    self.value = value
    self.expiresIn = expiresIn
  }

  /// What the approval key signs: a fixed text, the purpose, the challenge and the SHA-256 of the content (32 zero bytes for
  /// none), each ended or of fixed length, so that no two challenges have one message.
  public func signedMessage(purpose: ChallengePurpose, content: [UInt8]? = nil) -> [UInt8] {
    Array("latchkey-challenge-v1\n\(purpose.rawValue)\n".utf8) + value.bytes
      + (content ?? [UInt8](repeating: 0, count: SHA256.byteCount))
  }
}

/// The approval key's signature for one request, in the field ``HeaderNames/approval``.
public struct Approval: Codable, Sendable, Hashable {
  /// The challenge that is answered.
  public var challengeID: String
  /// ECDSA P-256 with SHA-256 over ``Challenge/signedMessage(purpose:content:)``, X9.62 DER; base64.
  public var signature: Base64Bytes

  /// An approval.
  public init(challengeID: String, signature: Base64Bytes) {
    self.challengeID = challengeID
    self.signature = signature
  }
}
