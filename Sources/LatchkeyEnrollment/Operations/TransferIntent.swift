internal import Foundation
internal import LatchkeyByteCoding
public import LatchkeyEnrollmentProtocol
internal import Security

/// A requested transfer: its idempotency key is generated with the request, and stays the same however often it is sent, by
/// this process or the next.
public struct TransferIntent: Codable, Sendable, Hashable {
  /// The transfer.
  public let transfer: Transfer
  /// The Idempotency-Key, which identifies repetitions of the same request.
  public let idempotencyKey: String
  /// The time of the request, in seconds since 1970.
  public let created: Int64

  /// The age in seconds after which it is not sent again: servers store their responses for longer.
  static let lifetime: Int64 = 24 * 3600

  private static func service(_ label: String) -> String { "latchkey transfers \(label)" }

  private static func place(_ label: String, _ transfer: Transfer) -> ItemAttributes {
    [
      kSecClass: kSecClassGenericPassword, kSecAttrService: service(label),
      kSecAttrAccount: Hexadecimal.encode(transfer.digest),
    ]
  }

  /// The pending intent of this transfer; nil if there is none.
  static func pending(_ transfer: Transfer, label: String) throws(EnrollmentError) -> TransferIntent? {
    guard let data = try Items.find(place(label, transfer).merging([kSecReturnData: true]) { $1 }) as? Data
    else { return nil }
    guard let intent = try? JSONDecoder().decode(TransferIntent.self, from: data), intent.transfer == transfer else {
      throw .misuse("a pending transfer in the keychain cannot be read: look at the accounts, and delete it")
    }
    return intent
  }

  /// All pending intents, the oldest first; without those for which the server has stated that nothing is booked.
  static func pending(label: String) throws(EnrollmentError) -> [TransferIntent] {
    let query: ItemAttributes = [
      kSecClass: kSecClassGenericPassword, kSecAttrService: service(label), kSecReturnData: true,
      kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll,
    ]
    let found = try Items.find(query) as? [ItemAttributes] ?? []
    return found.filter { $0[kSecAttrComment] as? String != Standing.notBooked.text }
      .compactMap { $0[kSecValueData] as? Data }
      .compactMap { try? JSONDecoder().decode(TransferIntent.self, from: $0) }
      .sorted { $0.created < $1.created }
  }

  /// The state of an intent: the comment of its item, so that it is compared and changed in one step. An operation cannot
  /// discard what another one with the same intent has sent. Intents of earlier versions have none.
  enum Standing: Hashable, Sendable {
    /// The operation that sent it last.
    case sent(by: String)
    /// No request of it is in flight, and the server has stated that nothing is booked.
    case notBooked

    fileprivate var text: String {
      switch self {
      case .sent(let operation): "sent by \(operation)"
      case .notBooked: "not booked"
      }
    }
  }

  /// Stores the intent, before it is sent for the first time; false if the same transfer is pending already.
  func keep(label: String, _ standing: Standing? = nil) throws(EnrollmentError) -> Bool {
    guard let data = try? JSONEncoder().encode(self) else { throw .misuse("this transfer cannot be written") }
    var contents: ItemAttributes = [
      kSecValueData: data, kSecAttrLabel: "transfer of \(transfer.amount) \(transfer.currency) to \(transfer.to)",
      kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
    ]
    contents[kSecAttrComment] = standing?.text
    return try Items.add(Self.place(label, transfer).merging(contents) { $1 })
  }

  /// Changes the state from `old`, or from any if that is nil; false, without a change, if the state is another.
  func stand(_ new: Standing, from old: Standing?, label: String) throws(EnrollmentError) -> Bool {
    let change: ItemAttributes = [kSecAttrComment: new.text]
    let status = SecItemUpdate(place(label, old) as CFDictionary, change as CFDictionary)
    if status == errSecItemNotFound { return false }
    try Items.check(status)
    return true
  }

  /// Deletes the intent after its result is known, unless its state differs from `standing`.
  func delete(label: String, _ standing: Standing? = nil) throws(EnrollmentError) {
    try Items.delete(place(label, standing))
  }

  private func place(_ label: String, _ standing: Standing?) -> ItemAttributes {
    var place = Self.place(label, transfer)
    place[kSecAttrComment] = standing?.text
    return place
  }
}
