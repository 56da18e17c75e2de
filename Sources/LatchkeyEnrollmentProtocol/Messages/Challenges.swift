internal import Crypto
internal import Foundation

/// The purpose of a challenge. A challenge is invalid for any other purpose.
public enum ChallengePurpose: Codable, Sendable, Hashable {
  /// To log in by the approval key.
  case login
  /// To attest an approval key.
  case attestation
  /// To renew a certificate after its end.
  case renewal
  /// To approve or reject one new device.
  case enrollment
  /// To approve one request to the service of this name; an approval for one service is none for another.
  case service(String)

  /// Whether a challenge of this purpose has a content.
  package var hasContent: Bool {
    switch self {
    case .login, .attestation: false
    case .renewal, .enrollment, .service: true
    }
  }
}

extension ChallengePurpose: RawRepresentable {
  /// The purpose of a text; nil if there is none, or the service's name is none: 1 to 16 characters a-z and 0-9, the first a letter.
  public init?(rawValue: String) {
    switch rawValue {
    case "login": self = .login
    case "attestation": self = .attestation
    case "renewal": self = .renewal
    case "enrollment": self = .enrollment
    default:
      guard rawValue.hasPrefix(Self.servicePrefix) else { return nil }
      let name = String(rawValue.dropFirst(Self.servicePrefix.count))
      guard Self.isServiceName(name) else { return nil }
      self = .service(name)
    }
  }

  /// The text on the wire: `login`, `service-ledger`.
  public var rawValue: String {
    switch self {
    case .login: "login"
    case .attestation: "attestation"
    case .renewal: "renewal"
    case .enrollment: "enrollment"
    case .service(let name): Self.servicePrefix + name
    }
  }

  private static let servicePrefix = "service-"

  /// Whether a text may name a service: 1 to 16 characters a-z and 0-9, the first a letter.
  package static func isServiceName(_ name: String) -> Bool {
    guard let first = name.utf8.first, (0x61...0x7A).contains(first), name.utf8.count <= 16 else { return false }
    return name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
  }
}

/// A request for a challenge: the body of ``Routes/challenges``.
public struct ChallengeRequest: Codable, Sendable, Hashable {
  /// The purpose.
  public var purpose: ChallengePurpose
  /// The device; for a login or a renewal without a certificate to name it.
  public var device: String?
  /// SHA-256 of the signed content: what a service defines (``Transfer/digest``), of the signing request of a renewal, or of the decision about
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
