internal import Foundation
internal import LatchkeyEnrollmentProtocol
internal import LatchkeySealedMessages
internal import Security

/// The persistent state of an enrollment at an old service: a keychain item.
public struct LegacyEnrollmentRecord: Sendable {
  private struct Stored: Codable {
    var server: String
    var roots: [Data]?
    var encryptionKey: String
    var authenticationKey: String
    var signing: String
    var token: String?
  }

  /// Server, keys and signing option.
  public var configuration: LegacyEnrollmentConfiguration
  /// The token of the last login. A secret.
  public var token: String?

  /// Creates a record.
  public init(configuration: LegacyEnrollmentConfiguration, token: String? = nil) {
    self.configuration = configuration
    self.token = token
  }

  private static func place(_ label: String) -> ItemAttributes {
    [kSecClass: kSecClassGenericPassword, kSecAttrService: "latchkey documented enrollment", kSecAttrAccount: label]
  }

  /// Loads the record with this label.
  ///
  /// - Throws: `.notEnrolled` if there is none; `.keychain`.
  public init(enrolled label: String) throws(EnrollmentError) {
    guard let data = try Items.find(Self.place(label).merging([kSecReturnData: true]) { $1 }) as? Data else {
      throw .notEnrolled
    }
    guard let stored = try? JSONDecoder().decode(Stored.self, from: data),
      let keys = try? LegacyEnvelopeKeys(encryption: stored.encryptionKey, authentication: stored.authenticationKey)
    else {
      throw .misuse("what the keychain has of the enrollment \(label) cannot be read: delete it, and enroll again")
    }
    configuration = LegacyEnrollmentConfiguration(
      server: try ServerAddress(stored.server),
      trustRoots: stored.roots?.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }, keys: keys)
    configuration.signing = LegacyEnrollment.SigningOption(rawValue: stored.signing) ?? .header
    token = stored.token
  }

  /// Stores the record, including keys and token.
  public func save(label: String) throws(EnrollmentError) {
    let stored = Stored(
      server: configuration.server.description, roots: configuration.trustRoots?.map { Data($0.der) },
      encryptionKey: String(decoding: configuration.keys.encryption, as: UTF8.self),
      authenticationKey: String(decoding: configuration.keys.authentication, as: UTF8.self),
      signing: configuration.signing.rawValue, token: token)
    guard let data = try? JSONEncoder().encode(stored) else { throw .misuse("the enrollment cannot be written") }
    try Items.put(
      [
        kSecValueData: data, kSecAttrLabel: "documented enrollment \(label) at \(stored.server)",
        kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
      ], Self.place(label))
  }
}
