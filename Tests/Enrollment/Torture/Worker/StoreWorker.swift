import LatchkeyEnrollmentStore
import LatchkeyLedger

/// Decides transfers as the server does: one transaction for the device, the key, the nonce, the ledger, the audit chain and the
/// answer.
struct StoreWorker: Sendable {
  /// The answer to a refused transfer.
  static let refused = "refused"
  /// The outcome is unknown: ask again.
  static let again = "again"

  /// The device was revoked, or has another key: nothing is decided.
  static let stale = "stale"

  private let store: any EnrollmentStore

  init(_ store: any EnrollmentStore) { self.store = store }

  /// Finishes the work under way, and accepts no more.
  func end() async { await store.close() }

  /// The answer to a line.
  func answer(_ line: String) async -> String {
    let words = line.split(separator: " ").map(String.init)
    guard words.count == 7, let amount = Int64(words[4]), let device = Identifier(words[5]),
      let signer = UInt8(words[6])
    else { return "0 unreadable" }
    let booking = Booking(
      id: .random(), from: words[2], to: words[3], amount: amount, currency: "EUR", notes: words[1], booked: 1,
      device: device)
    let nonce = Identifier.random().bytes
    do {
      let text = try await store.write { store in
        // As the server has it: what was verified before the transaction is held against the device inside of it.
        guard let record = try store.device(device), record.revoked == nil, record.identityKey == [signer] else {
          return Self.stale
        }
        return try decide(booking, of: device, key: words[1], nonce: nonce, in: store)
      }
      return "\(words[0]) \(text)"
    } catch {
      return "\(words[0]) \(Self.again)"
    }
  }

  private func decide(
    _ booking: Booking, of device: Identifier, key: String, nonce: [UInt8], in transaction: any StoreTransaction
  ) throws -> String {
    if let answer = try transaction.answer(to: key, scope: "torture") {
      return String(decoding: answer.body, as: UTF8.self)
    }
    guard try transaction.claimNonce(Nonce(nonce), device: device, expires: 100) else { return "replayed" }
    let text: String
    switch try transaction.book(booking) {
    case .booked:
      try transaction.audit(
        AuditEntry(event: "ledger.transfer.booked", time: 1, fields: ["transfer": booking.id.description, "key": key]))
      text = "booked \(booking.id)"
    case .insufficientFunds, .noSuchAccounts: text = Self.refused
    }
    let answer = StoredAnswer(digest: RequestDigest([1]), status: 200, body: Array(text.utf8), expires: 1_000)
    guard try transaction.addAnswer(answer, to: key, scope: "torture") else { throw EnrollmentStoreError.contention }
    return text
  }
}
