internal import Foundation
internal import Security

/// The record of an enrollment between two runs of a program: an item of the keychain under the enrollment's label.
/// Keys, certificates and the credential are items of their own.
struct EnrollmentRecord: Codable, Sendable, Hashable {
  /// The server's URL.
  var server: String
  /// The roots that may vouch for it, DER; nil for the system's.
  var roots: [Data]?
  /// The labels of the two keys.
  var identityKeyLabel: String
  var approvalKeyLabel: String
  /// The user and the device, once enrolled.
  var user: String?
  var device: String?
  /// What signs the server's answers: X9.63, and its `keyid`. Pinned at enrollment.
  var serverKey: Data?
  var serverKeyID: String?
  /// Whether the approval key is registered.
  var hasApprovalKey = false
  /// Which one is, X9.63: a label may come to name another. Nil for a registration of an earlier version, until the server has
  /// taken a signature of the key.
  var approvalKey: Data?
  /// Whether the approval key was there before it was registered: it is not the enrollment's to delete.
  var isApprovalKeyForeign: Bool?
  /// Whether the identity key is being changed: the next one is made, and may be the device's at the server already.
  var isChangingKey: Bool?
  /// A registration that was sent, with its key, until its answer was taken in.
  var pendingRegistration: PendingRegistration?

  struct PendingRegistration: Codable, Sendable, Hashable {
    var idempotencyKey: String
    var path: String
    var body: Data
    /// What protects the file that the server makes; nil where the key is the device's own.
    var passphrase: String?
  }

  /// The record of a configuration that has none yet.
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

  /// Keeps it.
  func save(label: String) throws(EnrollmentError) {
    guard let data = try? JSONEncoder().encode(self) else { throw .misuse("the enrollment cannot be written") }
    try Items.put(
      [
        kSecValueData: data, kSecAttrLabel: "enrollment \(label) at \(server)",
        kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
      ], Self.place(label))
  }

  /// Deletes it.
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
