internal import Foundation
internal import LatchkeyEnrollmentProtocol
internal import Security

/// The session of the last login: a keychain item that is accessible while the device is unlocked.
struct SessionToken: Codable, Sendable {
  var token: String
  var user: String
  /// The expiry, in seconds since 1970.
  var expires: Int64

  private static func place(_ label: String) -> ItemAttributes {
    [kSecClass: kSecClassGenericPassword, kSecAttrService: "latchkey session", kSecAttrAccount: label]
  }

  static func find(label: String) throws(EnrollmentError) -> SessionToken? {
    guard let data = try Items.find(place(label).merging([kSecReturnData: true]) { $1 }) as? Data else { return nil }
    return try? JSONDecoder().decode(SessionToken.self, from: data)
  }

  func save(label: String) throws(EnrollmentError) {
    guard let data = try? JSONEncoder().encode(self) else { return }
    try Items.put(
      [kSecValueData: data, kSecAttrAccessible: kSecAttrAccessibleWhenUnlockedThisDeviceOnly], Self.place(label))
  }
}

extension EnrollmentClient {
  /// Stores the session of a login, for programs that pass its token to other programs of the same service.
  func keep(_ session: LoginAnswer) async throws(EnrollmentError) {
    let (label, now) = (configuration.label, configuration.now)
    let token = SessionToken(
      token: session.token, user: session.user, expires: now &+ Int64(max(0, min(session.expiresIn, 1 << 30))))
    try await blocking { () throws(EnrollmentError) in try token.save(label: label) }
  }

  /// The bearer token of the last login; nil if there is none or it has expired. A secret; it is valid only over this device's
  /// certificate.
  public func sessionToken() async throws(EnrollmentError) -> String? {
    let (label, now) = (configuration.label, configuration.now)
    return try await blocking { () throws(EnrollmentError) in
      guard let stored = try SessionToken.find(label: label), now < stored.expires else { return nil }
      return stored.token
    }
  }
}
