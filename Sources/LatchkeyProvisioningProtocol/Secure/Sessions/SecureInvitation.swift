import LatchkeyByteCoding

/// The text of a QR code at a device: which device it is, its code, and what it speaks.
public struct SecureInvitation: Sendable {
  /// A provisioning protocol, as an invitation names it.
  public enum SpokenProtocol: String, Hashable, Sendable, CaseIterable {
    case secure, espressif, improv, legacy
  }

  /// The greatest length of the text, in bytes.
  public static let greatestLength = 400
  /// The greatest length of a device's name, in bytes of UTF-8: what fits an advertisement.
  public static let greatestNameLength = 29

  /// The device's identifier, 16 bytes.
  public let deviceIdentifier: [UInt8]
  /// The device's name: 1 to 29 bytes.
  public let name: String
  /// The code that opens a session.
  public let code: SecureCode
  /// What the device speaks; `secure` is always among it.
  public let protocols: Set<SpokenProtocol>

  /// - Throws: `SecureInvitationError` if a field is out of its bounds.
  public init(
    deviceIdentifier: [UInt8], name: String, code: SecureCode, protocols: Set<SpokenProtocol>
  ) throws(SecureInvitationError) {
    guard deviceIdentifier.count == SecureInformation.identifierLength else { throw .field("id") }
    guard (1...Self.greatestNameLength).contains(name.utf8.count) else { throw .field("name") }
    guard protocols.contains(.secure) else { throw .field("protocols") }
    self.deviceIdentifier = deviceIdentifier
    self.name = name
    self.code = code
    self.protocols = protocols
  }

  /// The invitation that a text has.
  ///
  /// - Throws: `SecureInvitationError`; of two texts that mean the same only one is accepted.
  public init(text: String) throws(SecureInvitationError) {
    guard text.utf8.count <= Self.greatestLength, text.hasPrefix(Self.prefix) else { throw .notAnInvitation }
    let fields = text.dropFirst(Self.prefix.count).split(separator: "&", omittingEmptySubsequences: false)
    guard fields.count == 4 else { throw .notAnInvitation }
    let identifier = try Self.value("id", fields[0])
    guard identifier.count == 32, identifier.allSatisfy({ $0.isHexDigit && !$0.isUppercase }),
      let bytes = try? Hexadecimal.decode(String(identifier))
    else { throw .field("id") }
    guard let name = Self.decoded(try Self.value("name", fields[1])) else { throw .field("name") }
    let code: SecureCode
    if fields[2].hasPrefix("pin=") {
      let digits = try Self.value("pin", fields[2])
      guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let pin = try? SecureCode(pin: String(digits))
      else { throw .field("pin") }
      code = pin
    } else {
      guard var secret = try? Base64.decode(String(try Self.value("secret", fields[2])), as: .urlUnpadded)
      else { throw .field("secret") }
      defer { secret.wipe() }
      guard let qr = try? SecureCode(secret: secret) else { throw .field("secret") }
      code = qr
    }
    let words = try Self.value("protocols", fields[3]).split(separator: ",", omittingEmptySubsequences: false)
    let protocols = words.compactMap { SpokenProtocol(rawValue: String($0)) }
    try self.init(deviceIdentifier: bytes, name: name, code: code, protocols: Set(protocols))
    guard words.map(String.init) == Self.ordered(self.protocols) else { throw .field("protocols") }
  }

  /// The text. It has the code: show it to the device's owner alone.
  public var text: String {
    let code = (self.code.kind == .pin ? "pin=" : "secret=") + self.code.text
    return "\(Self.prefix)id=\(Hexadecimal.encode(deviceIdentifier))&name=\(Self.encoded(name))&\(code)"
      + "&protocols=\(Self.ordered(protocols).joined(separator: ","))"
  }

  private static let prefix = "latchkey:v2?"

  private static func ordered(_ protocols: Set<SpokenProtocol>) -> [String] {
    SpokenProtocol.allCases.filter(protocols.contains).map(\.rawValue)
  }

  private static func value(_ key: String, _ field: Substring) throws(SecureInvitationError) -> Substring {
    guard field.hasPrefix("\(key)=") else { throw .field(key) }
    return field.dropFirst(key.count + 1)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static func encoded(_ name: String) -> String {
    name.utf8.map { byte in
      isUnreserved(byte)
        ? String(UnicodeScalar(byte)) : "%" + Hexadecimal.encode([byte]).uppercased()
    }.joined()
  }

  /// nil unless it is what `encoded` gives.
  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let decoded = try? Hexadecimal.decode(String(decoding: rest.prefix(2), as: UTF8.self)), decoded.count == 1
      else { return nil }
      bytes += decoded
      rest = rest.dropFirst(2)
    }
    guard let name = String(validating: bytes, as: UTF8.self), encoded(name) == text else { return nil }
    return name
  }
}

extension SecureInvitation: CustomStringConvertible, CustomReflectable {
  /// The name alone.
  public var description: String { "an invitation to \(name.debugDescription)" }
  /// Nothing of the code.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a text is no invitation.
public enum SecureInvitationError: Error, Hashable, Sendable {
  /// The text begins otherwise, is too long, or has not the four fields.
  case notAnInvitation
  /// The field of this name is missing, out of its place, or has a value that is not allowed.
  case field(String)
}
