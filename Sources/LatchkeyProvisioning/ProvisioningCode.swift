import LatchkeyByteCoding
import LatchkeyProvisioningProtocol

/// A device's code: what is printed on it, or shown by it, as text or as the text of a QR code.
///
/// It is overwritten when the last copy goes, and is never printed.
public struct ProvisioningCode: Sendable {
  /// The greatest length of a text, in bytes.
  public static let greatestLength = 1024
  /// The greatest length of a code that a person types, in bytes.
  public static let greatestTypedLength = 64

  /// The name of the device that the text of a QR code belongs to; nil of a code that was typed.
  public let deviceName: String?
  /// The code of the secure protocol; nil if it can be none.
  let secure: SecureCode?
  /// The device that the code belongs to, 16 bytes; nil of a code that was typed.
  let deviceIdentifier: [UInt8]?
  /// The code of Espressif's protocol; nil if it can be none.
  let espressif: SecretBytes?
  /// The user name of Espressif's Security 2; nil if the text does not say.
  let username: String?

  /// Whether the code is one of the secure protocol alone, and its device never spoken to by another.
  var isForSecureAlone: Bool { deviceIdentifier != nil }

  /// Whether a guesser would begin with it: no device of the secure protocol takes it.
  package var isWeak: Bool { secure?.isWeak ?? false }

  /// Whether the apps in the field that drop a hash's leading zeros compute the same of it: not of one code in 256. A device that
  /// draws its code draws another one.
  package var suitsAllClients: Bool { espressif.map { SRPVerifier.isFitForAllClients(code: $0) } ?? true }

  /// The code in a text: digits or a secret as a person types or pastes them, or the whole text of a QR code, Latchkey's
  /// (`latchkey:v2?…`) or Espressif's (`{"ver":"v1",…}`).
  ///
  /// - Throws: `ProvisioningCodeError` if it is empty or too long, or a QR code's text that is not understood.
  public init(_ text: String) throws(ProvisioningCodeError) {
    guard !text.isEmpty else { throw .empty }
    guard text.utf8.count <= Self.greatestLength else { throw .tooLong(text.utf8.count) }
    if text.hasPrefix("latchkey:") {
      guard let invitation = try? SecureInvitation(text: text) else { throw .notUnderstood }
      deviceName = invitation.name
      secure = invitation.code
      deviceIdentifier = invitation.deviceIdentifier
      (espressif, username) = (nil, nil)
    } else if text.hasPrefix("{") {
      guard let code = try? ProtocommQRCode(Array(text.utf8)) else { throw .notUnderstood }
      deviceName = code.name
      (secure, deviceIdentifier) = (nil, nil)
      espressif = code.code
      username = code.username
    } else {
      guard text.utf8.count <= Self.greatestTypedLength else { throw .tooLong(text.utf8.count) }
      secure = try? SecureCode(text: text)
      espressif = SecretBytes(Array(text.utf8))
      (deviceName, deviceIdentifier, username) = (nil, nil, nil)
    }
  }
}

extension ProvisioningCode: CustomStringConvertible, CustomReflectable {
  /// A text without any of the code.
  public var description: String { "a device's code" }
  /// Empty: a code never prints its parts.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A text that can be no code.
public enum ProvisioningCodeError: Error, Hashable, Sendable {
  /// There is no text.
  case empty
  /// It has this number of bytes.
  case tooLong(Int)
  /// It begins as the text of a QR code does, and goes on otherwise.
  case notUnderstood
}

/// The system's random bytes, for the machines.
enum SystemRandomness {
  static func bytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }
}
