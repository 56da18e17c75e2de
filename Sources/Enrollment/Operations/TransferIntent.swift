internal import ByteCoding
public import EnrollmentProtocol
internal import Foundation
internal import Security

/// A transfer that somebody wants, once: its key is made when it is wanted, and stays the same however often it is sent,
/// by this process or the next.
public struct TransferIntent: Codable, Sendable, Hashable {
  /// What is wanted.
  public let transfer: Transfer
  /// What makes it the same request: the Idempotency-Key.
  public let idempotencyKey: String
  /// Since when, seconds since 1970.
  public let created: Int64

  /// Seconds after which it is not sent again: servers keep their answers for longer.
  static let lifetime: Int64 = 24 * 3600

  private static func service(_ label: String) -> String { "latchkey transfers \(label)" }

  private static func place(_ label: String, _ transfer: Transfer) -> ItemAttributes {
    [
      kSecClass: kSecClassGenericPassword, kSecAttrService: service(label),
      kSecAttrAccount: Hexadecimal.encode(transfer.digest),
    ]
  }

  /// The intent of this transfer that waits for its answer; nil if there is none.
  static func pending(_ transfer: Transfer, label: String) throws(EnrollmentError) -> TransferIntent? {
    guard let data = try Items.find(place(label, transfer).merging([kSecReturnData: true]) { $1 }) as? Data
    else { return nil }
    guard let intent = try? JSONDecoder().decode(TransferIntent.self, from: data), intent.transfer == transfer else {
      throw .misuse("a pending transfer in the keychain cannot be read: look at the accounts, and delete it")
    }
    return intent
  }

  /// All that wait for their answers, the oldest first.
  static func pending(label: String) throws(EnrollmentError) -> [TransferIntent] {
    let query: ItemAttributes = [
      kSecClass: kSecClassGenericPassword, kSecAttrService: service(label), kSecReturnData: true,
      kSecMatchLimit: kSecMatchLimitAll,
    ]
    let found = try Items.find(query) as? [Data] ?? []
    return found.compactMap { try? JSONDecoder().decode(TransferIntent.self, from: $0) }
      .sorted { $0.created < $1.created }
  }

  /// Keeps it, before it is sent for the first time; false if the same transfer is wanted already.
  func keep(label: String) throws(EnrollmentError) -> Bool {
    guard let data = try? JSONEncoder().encode(self) else { throw .misuse("this transfer cannot be written") }
    let contents: ItemAttributes = [
      kSecValueData: data, kSecAttrLabel: "transfer of \(transfer.amount) \(transfer.currency) to \(transfer.to)",
      kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
    ]
    return try Items.add(Self.place(label, transfer).merging(contents) { $1 })
  }

  /// Deletes it: its end is known.
  func delete(label: String) throws(EnrollmentError) { try Items.delete(Self.place(label, transfer)) }
}
