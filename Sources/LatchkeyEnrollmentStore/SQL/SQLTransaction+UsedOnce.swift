internal import LatchkeyEnrollmentProtocol

// What counts once. The database's uniqueness decides, in the statement that claims: nothing is read before.

extension SQLTransaction {
  package func addChallenge(_ challenge: ChallengeRecord) throws {
    try change(
      "INSERT INTO challenges (id, value, device, purpose, content, expires) VALUES ($1, $2, $3, $4, $5, $6)",
      [
        .init(challenge.id), .bytes(challenge.value), .init(challenge.device), .text(challenge.purpose.rawValue),
        .init(challenge.content?.bytes), .integer(challenge.expires),
      ])
  }

  package func takeChallenge(_ id: Identifier, now: Int64) throws -> ChallengeRecord? {
    let taken = try changedRows(
      "DELETE FROM challenges WHERE id = $1 RETURNING id, value, device, purpose, content, expires", [.init(id)])
    guard let row = taken.first else { return nil }
    guard let purpose = ChallengePurpose(rawValue: try row.text(3)) else {
      throw EnrollmentStoreError.damaged(
        "a challenge has a purpose that this program does not know: update the program")
    }
    let challenge = ChallengeRecord(
      id: try row.identifier(0), value: try row.bytes(1), device: try row.identifier(2), purpose: purpose,
      content: try row.optionalBytes(4).map { ApprovedDigest($0) }, expires: try row.integer(5))
    return challenge.expires > now ? challenge : nil
  }

  package func claimNonce(_ nonce: Nonce, device: Identifier, expires: Int64) throws -> Bool {
    try beginClaim(of: nonce, device: device, expires: expires).take()
  }

  package func beginClaim(of nonce: Nonce, device: Identifier, expires: Int64) throws -> SQLLater<Bool> {
    try beginChange(
      "INSERT INTO nonces (device, nonce, expires) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
      [.init(device), .bytes(nonce.bytes), .integer(expires)]
    ).map { $0 == 1 }
  }

  package func answer(to key: String, scope: String) throws -> StoredAnswer? {
    try row(
      "SELECT fingerprint, status, body, expires FROM answers WHERE scope = $1 AND request = $2",
      [.text(scope), .text(key)]
    ).map {
      StoredAnswer(
        digest: RequestDigest(try $0.bytes(0)), status: Int(clamping: try $0.integer(1)), body: try $0.bytes(2),
        expires: try $0.integer(3))
    }
  }

  package func addAnswer(_ answer: StoredAnswer, to key: String, scope: String) throws -> Bool {
    try change(
      """
      INSERT INTO answers (scope, request, fingerprint, status, body, expires) VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT DO NOTHING
      """,
      [
        .text(scope), .text(key), .bytes(answer.digest.bytes), .integer(Int64(answer.status)), .bytes(answer.body),
        .integer(answer.expires),
      ]) == 1
  }

  /// Half a year: who has not logged in from a place for so long is a stranger there.
  private static let placeLife: Int64 = 183 * 86_400

  package func forgetEnded(now: Int64, limit: Int) throws -> Int {
    let arguments: [SQLValue] = [.integer(now), .integer(Int64(max(0, limit)))]
    return try change(
      "DELETE FROM tokens WHERE hash IN (SELECT hash FROM tokens WHERE expires <= $1 LIMIT $2)", arguments)
      + change(
        "DELETE FROM challenges WHERE id IN (SELECT id FROM challenges WHERE expires <= $1 LIMIT $2)", arguments)
      + change(
        """
        DELETE FROM nonces WHERE (device, nonce) IN (SELECT device, nonce FROM nonces WHERE expires <= $1 LIMIT $2)
        """, arguments)
      + change(
        """
        DELETE FROM answers
        WHERE (scope, request) IN (SELECT scope, request FROM answers WHERE expires <= $1 LIMIT $2)
        """, arguments)
      + change(
        """
        DELETE FROM login_places WHERE (user_name, place) IN (
          SELECT user_name, place FROM login_places WHERE seen <= $1 LIMIT $2)
        """, [.integer(now - Self.placeLife), .integer(Int64(max(0, limit)))])
      + forgetEndedEnrollments(now: now, limit: limit)
      + forgetEndedOrders(now: now, limit: limit)
      + forgetEndedLimitReports(now: now, limit: limit)
  }
}
