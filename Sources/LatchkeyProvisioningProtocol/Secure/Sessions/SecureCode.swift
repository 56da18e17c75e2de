package import LatchkeyByteCoding

/// What an app has to know to open a session with a device: digits that a person types, or the secret of a QR code.
///
/// It is overwritten when the last copy of the value goes, and is never printed.
public struct SecureCode: Sendable {
  /// How many digits a code may have.
  public static let pinLengths = 8...16
  /// How many bytes the secret of a QR code may have.
  public static let secretLengths = 16...64

  package enum Kind: Hashable, Sendable {
    case pin, qr
  }

  package let kind: Kind
  package let bytes: SecretBytes

  /// A code of digits; spaces and hyphens between them are not counted.
  ///
  /// - Throws: `SecureCodeError.notDigits`, or `length`.
  public init(pin: String) throws(SecureCodeError) {
    var digits = pin.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
    defer { digits.wipe() }
    guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { throw .notDigits }
    guard Self.pinLengths.contains(digits.count) else { throw .length(digits.count) }
    kind = .pin
    bytes = SecretBytes(digits)
  }

  /// The secret of a QR code.
  ///
  /// - Throws: `SecureCodeError.length`.
  public init(secret: [UInt8]) throws(SecureCodeError) {
    guard Self.secretLengths.contains(secret.count) else { throw .length(secret.count) }
    kind = .qr
    bytes = SecretBytes(secret)
  }

  /// The code in what a person has typed or pasted: digits, or the secret of a QR code in Base64 (RFC 4648 5). `SecureInvitation`
  /// reads whole texts of QR codes.
  ///
  /// - Throws: `SecureCodeError`.
  public init(text: String) throws(SecureCodeError) {
    guard var secret = try? Base64.decode(text, as: .urlUnpadded), Self.secretLengths.contains(secret.count) else {
      try self.init(pin: text)
      return
    }
    defer { secret.wipe() }
    try self.init(secret: secret)
  }

  /// A new code of eight digits, none of those that a device refuses.
  package static func randomPin(_ randomness: SecureRandomness) -> SecureCode {
    while true {
      var digits: [UInt8] = []
      while digits.count < pinLengths.lowerBound {
        // Of 256 values 250 are a whole multiple of ten.
        for byte in randomness.bytes(16) where byte < 250 && digits.count < pinLengths.lowerBound {
          digits.append(UInt8(ascii: "0") + byte % 10)
        }
      }
      let code = SecureCode(kind: .pin, SecretBytes(consuming: &digits))
      if !code.isWeak { return code }
    }
  }

  /// A new secret of 16 bytes for a QR code.
  package static func randomSecret(_ randomness: SecureRandomness) -> SecureCode {
    SecureCode(kind: .qr, randomness.secret(secretLengths.lowerBound))
  }

  private init(kind: Kind, _ bytes: SecretBytes) {
    self.kind = kind
    self.bytes = bytes
  }

  /// Whether a guesser would begin with it: no device takes it. Digits that are alike, count up or down, or repeat a block of two or
  /// four; a secret of one byte over and over.
  public var isWeak: Bool {
    let bytes = bytes.array()
    guard kind == .pin else { return Set(bytes).count == 1 }
    func isEvery(_ step: UInt8) -> Bool {
      zip(bytes, bytes.dropFirst()).allSatisfy { ($0 - UInt8(ascii: "0") + step) % 10 == $1 - UInt8(ascii: "0") }
    }
    func repeats(_ block: Int) -> Bool {
      bytes.count.isMultiple(of: block) && bytes.indices.dropFirst(block).allSatisfy { bytes[$0] == bytes[$0 - block] }
    }
    return [0, 1, 9].contains { isEvery($0) } || [2, 4].contains { repeats($0) }
  }

  /// The digits, or the secret in Base64 (RFC 4648 5), to be shown to the device's owner.
  public var text: String {
    switch kind {
    case .pin: String(decoding: bytes.array(), as: UTF8.self)
    case .qr: Base64.encode(bytes.array(), as: .urlUnpadded)
    }
  }

  /// The password of CPace, PRS.
  var password: SecretBytes {
    var copy = bytes.array()
    defer { copy.wipe() }
    var password = CPace.lengthPrefixed(Array((kind == .pin ? "prov2 pin" : "prov2 qr").utf8), copy)
    return SecretBytes(consuming: &password)
  }
}

extension SecureCode: CustomStringConvertible, CustomReflectable {
  /// Nothing of the code.
  public var description: String { "a code" }
  /// Nothing of the code.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why something is no code.
public enum SecureCodeError: Error, Hashable, Sendable {
  /// A code of digits has other characters.
  case notDigits
  /// It has this many digits, not 8 to 16; or a secret has this many bytes, not 16 to 64.
  case length(Int)
  /// It is one that a guesser tries first.
  case weak
}
