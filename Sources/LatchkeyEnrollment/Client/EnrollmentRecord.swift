internal import Foundation
internal import Security

/// The persistent state of an enrollment: a keychain item under the enrollment's label. Keys, certificates and the credential
/// are separate items.
struct EnrollmentRecord: Codable, Sendable, Hashable {
  /// The server's URL.
  var server: String
  /// The trusted roots for the server's certificate, DER; nil for the system's.
  var roots: [Data]?
  /// The labels of the two keys.
  var identityKeyLabel: String
  var approvalKeyLabel: String
  /// The user and the device, once enrolled.
  var user: String?
  var device: String?
  /// The key that verifies the server's signed responses, X9.63, and its `keyid`. Pinned at enrollment.
  var serverKey: Data?
  var serverKeyID: String?
  /// Whether the approval key is registered.
  var hasApprovalKey = false
  /// The registered approval key, X9.63, since its label may come to name another key. Nil for a registration of an earlier
  /// version, until the server has accepted a signature of the key.
  var approvalKey: Data?
  /// Whether the approval key existed before its registration, so that the enrollment must not delete it.
  var isApprovalKeyForeign: Bool?
  /// Whether a change of the identity key is in progress: the next key exists, and the server may know it already.
  var isChangingKey: Bool?
  /// Whether the device has ended, so that what is left of it only has to be deleted.
  var isEnded: Bool?
  /// A registration that was sent, with its key, until its response is processed.
  var pendingRegistration: PendingRegistration?

  struct PendingRegistration: Codable, Sendable, Hashable {
    var idempotencyKey: String
    var path: String
    var body: Data
    /// The passphrase of the file that the server creates; nil if the device has its own key.
    var passphrase: String?
  }

  /// Creates the record for a configuration without one.
  init(_ configuration: EnrollmentConfiguration) {
    server = configuration.server.description
    roots = configuration.trustRoots?.map { Data($0.der) }
    identityKeyLabel = configuration.identityKeyLabel
    approvalKeyLabel = configuration.approvalKeyLabel
  }

  private static let service = "latchkey enrollment"

  private static func place(_ label: String) -> ItemAttributes {
    [kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: label]
  }

  /// The record with this label; nil if there is none.
  static func find(label: String) throws(EnrollmentError) -> EnrollmentRecord? {
    guard let data = try Items.find(place(label).merging([kSecReturnData: true]) { $1 }) as? Data else { return nil }
    guard let record = try? JSONDecoder().decode(EnrollmentRecord.self, from: data) else {
      throw .misuse("what the keychain has of the enrollment \(label) cannot be read: delete it, and enroll again")
    }
    return record
  }

  /// Stores the record.
  func save(label: String) throws(EnrollmentError) {
    guard let data = try? JSONEncoder().encode(self) else { throw .misuse("the enrollment cannot be written") }
    try Items.put(
      [
        kSecValueData: data, kSecAttrLabel: "enrollment \(label) at \(server)",
        kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
      ], Self.place(label))
  }

  /// Deletes the record.
  static func delete(label: String) throws(EnrollmentError) { try Items.delete(place(label)) }

  /// All labels.
  static func labels() throws(EnrollmentError) -> [String] {
    let query: ItemAttributes = [
      kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecReturnAttributes: true,
      kSecMatchLimit: kSecMatchLimitAll,
    ]
    let found = try Items.find(query) as? [[CFString: Any]] ?? []
    return found.compactMap { $0[kSecAttrAccount] as? String }.sorted()
  }
}
