internal import Foundation
internal import LatchkeyEnrollmentProtocol
internal import Security

/// The session of the last login: an item of the keychain, while the device is unlocked.
struct SessionToken: Codable, Sendable {
  var token: String
  var user: String
  /// Seconds since 1970.
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
  /// Keeps the session of a login, for programs that hand its token to others of the same service.
  func keep(_ session: LoginAnswer) async throws(EnrollmentError) {
    let (label, now) = (configuration.label, configuration.now)
    let token = SessionToken(
      token: session.token, user: session.user, expires: now &+ Int64(max(0, min(session.expiresIn, 1 << 30))))
    try await blocking { () throws(EnrollmentError) in try token.save(label: label) }
  }

  /// The bearer token of the last login; nil if there is none or it has ended. A secret; it counts only over this device's
  /// certificate.
  public func sessionToken() async throws(EnrollmentError) -> String? {
    let (label, now) = (configuration.label, configuration.now)
    return try await blocking { () throws(EnrollmentError) in
      guard let stored = try SessionToken.find(label: label), now < stored.expires else { return nil }
      return stored.token
    }
  }
}
