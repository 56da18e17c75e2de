// The orders of ACME.

extension SQLTransaction {
  package func addACMEOrder(_ order: ACMEOrderRecord) throws {
    try change(
      """
      INSERT INTO acme_orders (id, account, token, identifier, profile, challenge, expires)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      """,
      [
        .bytes(order.id), .bytes(order.account), .bytes(order.token), .bytes(order.identifier), .init(order.profile),
        .bytes(order.challenge), .integer(order.expires),
      ])
  }

  package func acmeOrder(_ id: [UInt8], now: Int64) throws -> ACMEOrderRecord? {
    try row(
      """
      SELECT id, account, token, identifier, profile, challenge, expires, answered, identity_key, identity_evidence,
        identity_names, signing_request
      FROM acme_orders WHERE id = $1 AND expires > $2
      """, [.bytes(id), .integer(now)]
    ).map(Self.order)
  }

  package func countACMEOrders(ofToken hash: [UInt8], now: Int64) throws -> Int {
    try count(
      row("SELECT count(*) FROM acme_orders WHERE token = $1 AND expires > $2", [.bytes(hash), .integer(now)]))
  }

  package func countACMEOrders(ofAccount account: [UInt8], now: Int64) throws -> Int {
    try count(
      row("SELECT count(*) FROM acme_orders WHERE account = $1 AND expires > $2", [.bytes(account), .integer(now)]))
  }

  package func isDevice(_ device: Identifier, ofACMEAccount account: [UInt8], now: Int64) throws -> Bool {
    try row(
      """
      SELECT 1 FROM acme_orders JOIN enrollment_tokens ON enrollment_tokens.hash = acme_orders.token
      WHERE acme_orders.account = $1 AND acme_orders.expires > $2 AND acme_orders.signing_request IS NOT NULL
        AND enrollment_tokens.device = $3 LIMIT 1
      """, [.bytes(account), .integer(now), .init(device)]) != nil
  }

  package func answerACMEChallenge(_ id: [UInt8], _ outcome: ACMEOrderRecord.Outcome, at now: Int64) throws -> Bool {
    let (key, evidence, names): ([UInt8]?, String?, String?) =
      switch outcome {
      case .refused: (nil, nil, nil)
      case .attested(let key, let evidence, let identifiers): (key, evidence, identifiers.joined(separator: " "))
      }
    return try change(
      """
      UPDATE acme_orders SET answered = $1, identity_key = $2, identity_evidence = $3, identity_names = $4
      WHERE id = $5 AND answered IS NULL
      """, [.integer(now), .init(key), .init(evidence), .init(names), .bytes(id)]) == 1
  }

  package func finalizeACMEOrder(_ id: [UInt8], signingRequest: [UInt8], expires: Int64) throws {
    try change(
      """
      UPDATE acme_orders SET signing_request = $1, expires = $2 WHERE id = $3 AND signing_request IS NULL
      """, [.bytes(signingRequest), .integer(expires), .bytes(id)])
  }

  /// Deletes orders that have ended, at most `limit`.
  func forgetEndedOrders(now: Int64, limit: Int) throws -> Int {
    try change(
      "DELETE FROM acme_orders WHERE id IN (SELECT id FROM acme_orders WHERE expires <= $1 LIMIT $2)",
      [.integer(now), .integer(Int64(max(0, limit)))])
  }

  private func count(_ row: SQLRow?) throws -> Int { try row.map { Int(clamping: try $0.integer(0)) } ?? 0 }

  private static func order(_ row: SQLRow) throws -> ACMEOrderRecord {
    var order = ACMEOrderRecord(
      id: try row.bytes(0), account: try row.bytes(1), token: try row.bytes(2), identifier: try row.bytes(3),
      profile: try row.optionalText(4), challenge: try row.bytes(5), expires: try row.integer(6))
    order.answered = try row.optionalInteger(7)
    if order.answered != nil {
      let key = try row.optionalBytes(8)
      let names = try row.optionalText(10)?.split(separator: " ").map(String.init) ?? []
      order.outcome = try key.map { .attested(key: $0, evidence: try row.text(9), identifiers: names) } ?? .refused
    }
    order.signingRequest = try row.optionalBytes(11)
    return order
  }
}
