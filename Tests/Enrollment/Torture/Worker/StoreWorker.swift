import EnrollmentStore

/// Decides transfers as the server does: one transaction for the key, the nonce, the ledger, the audit chain and the answer.
struct StoreWorker: Sendable {
  /// What a transfer that was refused is answered.
  static let refused = "refused"
  /// Nobody can say what became of it: ask again.
  static let again = "again"

  private let store: any EnrollmentStore
  private let device = Identifier.random()

  init(_ store: any EnrollmentStore) { self.store = store }

  /// The answer to a line.
  func answer(_ line: String) async -> String {
    let words = line.split(separator: " ").map(String.init)
    guard words.count == 5, let amount = Int64(words[4]) else { return "0 unreadable" }
    let booking = Booking(
      id: .random(), from: words[2], to: words[3], amount: amount, currency: "EUR", notes: words[1], booked: 1,
      device: device)
    let nonce = Identifier.random().bytes
    do {
      let text = try await store.write { try decide(booking, key: words[1], nonce: nonce, in: $0) }
      return "\(words[0]) \(text)"
    } catch {
      return "\(words[0]) \(Self.again)"
    }
  }

  private func decide(
    _ booking: Booking, key: String, nonce: [UInt8], in transaction: any StoreTransaction
  ) throws -> String {
    if let answer = try transaction.answer(to: key, scope: "torture") {
      return String(decoding: answer.body, as: UTF8.self)
    }
    guard try transaction.claimNonce(Nonce(nonce), device: device, expires: 100) else { return "replayed" }
    let text: String
    switch try transaction.book(booking) {
    case .booked:
      try transaction.audit(
        AuditEntry(event: "transfer.booked", time: 1, fields: ["transfer": booking.id.description, "key": key]))
      text = "booked \(booking.id)"
    case .insufficientFunds, .noSuchAccounts: text = Self.refused
    }
    let answer = StoredAnswer(digest: RequestDigest([1]), status: 200, body: Array(text.utf8), expires: 1_000)
    guard try transaction.addAnswer(answer, to: key, scope: "torture") else { throw EnrollmentStoreError.contention }
    return text
  }
}
