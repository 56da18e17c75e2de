public import LatchkeyProvisioningProtocol

extension SecureRandomness {
  /// The system's generator.
  package static let system = SecureRandomness(bytes: { count in
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  })
}

extension SecureCode {
  /// A new code of eight digits, none of those that a device refuses.
  public static func randomPin() -> SecureCode { randomPin(.system) }

  /// A new secret of 16 bytes for a QR code.
  public static func randomSecret() -> SecureCode { randomSecret(.system) }
}
