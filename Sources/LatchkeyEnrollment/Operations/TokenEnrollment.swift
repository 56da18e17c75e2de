public import Foundation
internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentProtocol

/// A token with which one device enrolls, once: what a user's app hands to a device, in place of the user's password.
public struct DeviceToken: Sendable {
  /// The token: 16 to 512 characters of `A…Z a…z 0…9 - . _ ~ + / =`. A secret.
  public let text: String
  /// The user whose device it makes.
  public let user: String
  /// When the server refuses it, used or not.
  public let expires: Date
}

extension DeviceToken: CustomStringConvertible, CustomReflectable {
  /// The user alone.
  public var description: String { "a token for a device of \(user.debugDescription)" }
  /// Empty: a token never prints its text.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What came of an enrollment by token.
public struct TokenEnrollment: Sendable {
  /// The device's identity.
  public let identity: EnrolledIdentity
  /// Whether the device is new at the server: false if it was enrolled there already, and the token was not used.
  public let isNewlyRegistered: Bool
}

extension EnrollmentClient {
  /// Logs a user in with a password, and returns a token with which one device enrolls. Nothing is stored, and this device is not enrolled.
  public func deviceToken(user: String, password: String) -> EnrollmentOperation<DeviceToken> {
    operation(.login) { [self] in
      // Not repeated once it may have arrived: wrong passwords are counted.
      let call = try Call.send(Routes.login, PasswordLogin(user: user, password: password), .none)
      let session = try await messenger.send(call).decode(LoginAnswer.self)
      guard Self.isToken(session.token) else { throw EnrollmentError.cannotInterpret("the token has no form") }
      let lifetime = TimeInterval(max(0, min(session.expiresIn, 1 << 30)))
      return DeviceToken(
        text: session.token, user: session.user, expires: configuration.clock().addingTimeInterval(lifetime))
    }
  }

  /// Enrolls this device with a token that somebody else got for it. A device that is enrolled with this server already, and that the server
  /// still accepts, keeps its identity, and the token is not used.
  ///
  /// - Parameters:
  ///   - token: the text of a ``DeviceToken``. A secret.
  ///   - deviceName: the device's display name at registration, 1 to 64 characters.
  /// - Returns: an operation that fails with ``EnrollmentError``: `.misuse` if the token has no form, or the device is enrolled with another
  ///   server under this label.
  public func enroll(token: String, deviceName: String) -> EnrollmentOperation<TokenEnrollment> {
    operation(.login) { [self] in
      guard Self.isToken(token) else {
        throw EnrollmentError.misuse("a token has 16 to 512 letters, digits and -._~+/=")
      }
      if let other = try await otherServer() {
        throw EnrollmentError.misuse("this device is enrolled with \(other) already: revoke or forget that first")
      }
      if let identity = try await identityIfValid(), try await counts(identity) {
        return TokenEnrollment(identity: identity, isNewlyRegistered: false)
      }
      let identity = try await registered(name: deviceName, origin: .madeHere, token: token)
      return TokenEnrollment(identity: identity, isNewlyRegistered: true)
    }
  }

  /// Another server with which this label is enrolled; nil if there is none.
  public func otherServer() async throws(EnrollmentError) -> ServerAddress? {
    let configuration = configuration
    return try await blocking { () throws(EnrollmentError) in
      guard let record = try EnrollmentRecord.find(label: configuration.label), record.device != nil,
        record.server != configuration.server.description
      else { return nil }
      return try ServerAddress(record.server)
    }
  }

  /// What a field of HTTP takes as a bearer token (RFC 6750 2.1), within the server's bounds.
  static func isToken(_ text: String) -> Bool {
    (16...512).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "-._~+/=".utf8.contains(byte)
        }
      }
  }
}
