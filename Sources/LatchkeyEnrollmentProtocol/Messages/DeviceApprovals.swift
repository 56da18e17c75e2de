internal import Crypto
internal import Foundation
internal import LatchkeyByteCoding

/// A device whose registration waits for an approval: the answer 202 of ``Routes/devices``, and an entry of ``PendingDeviceList``.
public struct PendingDevice: Codable, Sendable, Hashable {
  /// The identifier that the device will have.
  public var device: String
  /// The device's display name.
  public var name: String
  /// The user it will belong to.
  public var user: String
  /// The SHA-256 of the device's identity key, X9.63; base64. The person who approves compares it with what the device shows.
  public var keyDigest: Base64Bytes
  /// When the registration was received, seconds since 1970.
  public var created: Int64
  /// When it ends without an approval, seconds since 1970.
  public var expires: Int64
  /// The names that its signing request asks for and its profile permits, which its certificate will have: `dns:a.example`, `ip:192.0.2.9`
  /// or `uri:urn:example:1`. Who approves the device approves them.
  public var requestedNames: [String]

  /// Creates a pending device.
  public init(
    device: String, name: String, user: String, keyDigest: Base64Bytes, created: Int64, expires: Int64,
    requestedNames: [String] = []
  ) {
    self.device = device
    self.name = name
    self.user = user
    self.keyDigest = keyDigest
    self.created = created
    self.expires = expires
    self.requestedNames = requestedNames
  }

  /// The first 16 digits of ``keyDigest`` in groups of four, for people to compare.
  public var comparedDigits: String {
    let digits = Array(Hexadecimal.encode(keyDigest.bytes).prefix(16))
    return stride(from: 0, to: digits.count, by: 4).map { String(digits[$0..<min($0 + 4, digits.count)]) }
      .joined(separator: " ")
  }

  /// SHA-256 of what a decision is about: a fixed text, the decision, the device's identifier, ``keyDigest``, and the name. Each
  /// part but the last is terminated or of fixed length. With ``requestedNames`` the fixed text is another one, and these and the name
  /// follow, each behind its number of bytes.
  public func digest(isApproved: Bool) -> [UInt8] {
    let version = requestedNames.isEmpty ? "v1" : "v2"
    var content = Array("latchkey-device-approval-\(version)\n\(isApproved ? "approve" : "reject")\n\(device)\n".utf8)
    content += keyDigest.bytes
    if requestedNames.isEmpty {
      content += Array(name.utf8)
    } else {
      for text in requestedNames + [name] { content += Array("\(text.utf8.count):\(text)".utf8) }
    }
    return Array(SHA256.hash(data: content))
  }
}

/// The answer of ``Routes/pendingDevices``.
public struct PendingDeviceList: Codable, Sendable, Hashable {
  /// The user's devices that wait for an approval, oldest first.
  public var devices: [PendingDevice]

  /// Creates a list.
  public init(devices: [PendingDevice]) { self.devices = devices }
}

/// The approval or rejection of a new device by another device of its user: the body of ``Routes/deviceApproval``.
public struct DeviceDecision: Codable, Sendable, Hashable {
  /// The pending device.
  public var device: String
  /// Whether it is approved; otherwise it is rejected.
  public var isApproved: Bool
  /// The answered challenge, of purpose `enrollment` and content ``PendingDevice/digest(isApproved:)``.
  public var challengeID: String
  /// The signature of the deciding device's approval key, or of its identity key if it has no approval key: ECDSA P-256 with
  /// SHA-256 over ``Challenge/signedMessage(purpose:content:)``, X9.62 DER; base64.
  public var signature: Base64Bytes

  /// Creates a decision.
  public init(device: String, isApproved: Bool, challengeID: String, signature: Base64Bytes) {
    self.device = device
    self.isApproved = isApproved
    self.challengeID = challengeID
    self.signature = signature
  }
}
