public import Foundation

/// An error that a peer answered with (Core 6.0 Vol 3 Part F 3.4.1.1).
///
/// Errors are delivered as this structure, so that `error as? CBATTError` and `catch CBATTError.readNotPermitted` work.
public struct CBATTError: _BridgedStoredNSError {
  /// The error in its stored form.
  public let _nsError: NSError

  /// An error of this stored form; its domain must be `CBATTErrorDomain`.
  public init(_nsError error: NSError) {
    precondition(error.domain == CBATTErrorDomain, "a CBATTError's domain is CBATTErrorDomain")
    _nsError = error
  }

  /// The domain of all such errors.
  public static var _nsErrorDomain: String { CBATTErrorDomain }

  /// The domain of all such errors.
  public static var errorDomain: String { CBATTErrorDomain }
}

extension CBATTError {
  /// Success.
  public static var success: Code { .success }
  /// The handle is not valid on the server.
  public static var invalidHandle: Code { .invalidHandle }
  /// The attribute may not be read.
  public static var readNotPermitted: Code { .readNotPermitted }
  /// The attribute may not be written.
  public static var writeNotPermitted: Code { .writeNotPermitted }
  /// The request was malformed.
  public static var invalidPdu: Code { .invalidPdu }
  /// The attribute needs an authenticated link.
  public static var insufficientAuthentication: Code { .insufficientAuthentication }
  /// The server does not support the request.
  public static var requestNotSupported: Code { .requestNotSupported }
  /// The offset is past the end of the value.
  public static var invalidOffset: Code { .invalidOffset }
  /// The attribute needs authorization.
  public static var insufficientAuthorization: Code { .insufficientAuthorization }
  /// Too many writes are prepared.
  public static var prepareQueueFull: Code { .prepareQueueFull }
  /// There is no such attribute.
  public static var attributeNotFound: Code { .attributeNotFound }
  /// The attribute cannot be read in parts.
  public static var attributeNotLong: Code { .attributeNotLong }
  /// The encryption key is too short.
  public static var insufficientEncryptionKeySize: Code { .insufficientEncryptionKeySize }
  /// The value has a wrong length.
  public static var invalidAttributeValueLength: Code { .invalidAttributeValueLength }
  /// Something unlikely went wrong.
  public static var unlikelyError: Code { .unlikelyError }
  /// The attribute needs an encrypted link.
  public static var insufficientEncryption: Code { .insufficientEncryption }
  /// The type is not a grouping attribute.
  public static var unsupportedGroupType: Code { .unsupportedGroupType }
  /// The server is out of resources.
  public static var insufficientResources: Code { .insufficientResources }
}

extension CBATTError {
  /// An error with the text that Apple's systems show for it.
  static func delivered(_ code: Code) -> CBATTError {
    CBATTError(code, userInfo: [NSLocalizedDescriptionKey: code.text])
  }
}

extension CBATTError.Code {
  fileprivate var text: String {
    switch self {
    case .invalidHandle: "The handle is invalid."
    case .readNotPermitted: "Reading is not permitted."
    case .writeNotPermitted: "Writing is not permitted."
    case .invalidPdu: "The command is invalid."
    case .insufficientAuthentication: "Authentication is insufficient."
    case .requestNotSupported: "The request is not supported."
    case .invalidOffset: "The offset is invalid."
    case .insufficientAuthorization: "Authorization is insufficient."
    case .prepareQueueFull: "The prepare queue is full."
    case .attributeNotFound: "The attribute could not be found."
    case .attributeNotLong: "The attribute is not long."
    case .insufficientEncryptionKeySize: "The encryption key size is insufficient."
    case .invalidAttributeValueLength: "The value's length is invalid."
    case .unlikelyError: "Unlikely error."
    case .insufficientEncryption: "Encryption is insufficient."
    case .unsupportedGroupType: "The group type is not supported."
    case .insufficientResources: "Resources are insufficient."
    default: "Unknown ATT error."
    }
  }
}
