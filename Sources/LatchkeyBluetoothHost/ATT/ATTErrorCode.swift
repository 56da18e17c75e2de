/// The code of an Error Response (Core 6.0 Vol 3 Part F 3.4.1.1, table 3.4).
public struct ATTErrorCode: RawRepresentable, Hashable, Sendable {
  /// The code as the air carries it.
  public let rawValue: UInt8
  /// Any code, known or not.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The handle is not valid on this server.
  public static let invalidHandle = ATTErrorCode(rawValue: 0x01)
  /// The attribute cannot be read.
  public static let readNotPermitted = ATTErrorCode(rawValue: 0x02)
  /// The attribute cannot be written.
  public static let writeNotPermitted = ATTErrorCode(rawValue: 0x03)
  /// The PDU was invalid.
  public static let invalidPDU = ATTErrorCode(rawValue: 0x04)
  /// The attribute needs an authenticated link.
  public static let insufficientAuthentication = ATTErrorCode(rawValue: 0x05)
  /// The server does not support the request.
  public static let requestNotSupported = ATTErrorCode(rawValue: 0x06)
  /// The offset is past the end of the attribute.
  public static let invalidOffset = ATTErrorCode(rawValue: 0x07)
  /// The attribute needs authorization.
  public static let insufficientAuthorization = ATTErrorCode(rawValue: 0x08)
  /// Too many prepared writes.
  public static let prepareQueueFull = ATTErrorCode(rawValue: 0x09)
  /// No attribute found in the range.
  public static let attributeNotFound = ATTErrorCode(rawValue: 0x0A)
  /// The attribute cannot be read by Read Blob.
  public static let attributeNotLong = ATTErrorCode(rawValue: 0x0B)
  /// The encryption key is too short.
  public static let encryptionKeySizeTooShort = ATTErrorCode(rawValue: 0x0C)
  /// The value's length is wrong for the attribute.
  public static let invalidAttributeValueLength = ATTErrorCode(rawValue: 0x0D)
  /// Something unlikely went wrong.
  public static let unlikelyError = ATTErrorCode(rawValue: 0x0E)
  /// The attribute needs an encrypted link.
  public static let insufficientEncryption = ATTErrorCode(rawValue: 0x0F)
  /// The group type is not a grouping attribute.
  public static let unsupportedGroupType = ATTErrorCode(rawValue: 0x10)
  /// The server is out of resources.
  public static let insufficientResources = ATTErrorCode(rawValue: 0x11)
  /// The client's copy of the database is out of date.
  public static let databaseOutOfSync = ATTErrorCode(rawValue: 0x12)
  /// The value is not allowed.
  public static let valueNotAllowed = ATTErrorCode(rawValue: 0x13)
  /// A write was rejected (Core Specification Supplement Part B).
  public static let writeRequestRejected = ATTErrorCode(rawValue: 0xFC)
  /// A client characteristic configuration is improperly set.
  public static let cccdImproperlyConfigured = ATTErrorCode(rawValue: 0xFD)
  /// A procedure is already under way.
  public static let procedureAlreadyInProgress = ATTErrorCode(rawValue: 0xFE)
  /// A value is out of range.
  public static let outOfRange = ATTErrorCode(rawValue: 0xFF)
}

extension ATTErrorCode {
  /// Whether a link of more security may get what this one did not (Core 6.0 Vol 3 Part C 10.3.2).
  var asksForSecurity: Bool {
    self == .insufficientAuthentication || self == .insufficientEncryption || self == .encryptionKeySizeTooShort
  }
}
