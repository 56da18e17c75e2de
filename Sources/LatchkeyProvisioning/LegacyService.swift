public import CoreBluetooth

/// The two services of the legacy protocol.
public enum LegacyService: String, Sendable, CaseIterable {
  /// F100: nothing is encrypted. It is used only where the caller allows it.
  case plain = "F100"
  /// F200: encrypted, with a key that is agreed on with any device that answers.
  case encrypted = "F200"

  /// The service's UUID.
  public var uuid: CBUUID { CBUUID(string: rawValue) }

  /// The characteristic that the app writes to: F101 or F201.
  public var request: LegacyCharacteristic {
    switch self {
    case .plain: .plainRequest
    case .encrypted: .encryptedRequest
    }
  }

  /// The characteristic of the device's answers: F102 or F202.
  public var answer: LegacyCharacteristic {
    switch self {
    case .plain: .plainAnswer
    case .encrypted: .encryptedAnswer
    }
  }
}

/// The four characteristics of the legacy protocol.
public enum LegacyCharacteristic: String, Sendable, CaseIterable {
  /// F101: the app writes a value.
  case plainRequest = "F101"
  /// F102: the device notifies a value.
  case plainAnswer = "F102"
  /// F201: the app writes frames.
  case encryptedRequest = "F201"
  /// F202: the device notifies frames.
  case encryptedAnswer = "F202"

  /// The characteristic's UUID.
  public var uuid: CBUUID { CBUUID(string: rawValue) }
}
