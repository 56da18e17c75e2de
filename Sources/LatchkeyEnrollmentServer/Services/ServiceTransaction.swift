public import LatchkeyEnrollmentProtocol
public import LatchkeyEnrollmentStore

/// What a service does inside a transaction: statements on its own tables, and what the core tells and notes for it.
///
/// It ends with the closure that gets it: what is called later throws `EnrollmentStoreError.misuse`.
public class ServiceTransaction: SQLStatements {
  private let store: any StoreTransaction
  let service: String
  /// The time of the request, in seconds since 1970.
  public let now: Int64
  /// Whether the service has changed rows or written to the audit chain.
  private(set) var hasWritten = false
  private var hasEnded = false

  /// The transaction of a service.
  ///
  /// - Parameters:
  ///   - core: the store's; writes that were begun there and here are one.
  ///   - service: the service's name.
  package init(_ core: any StoreTransaction, service: String, now: Int64) {
    store = core
    self.service = service
    self.now = now
  }

  /// The closure that got this has returned: the connection is other callers' now.
  func end() { hasEnded = true }

  /// The store's transaction.
  ///
  /// - Throws: `.misuse` after the end.
  func core() throws(EnrollmentStoreError) -> any StoreTransaction {
    guard !hasEnded else {
      throw .misuse("the transaction of a service has ended: use it inside of the closure that gets it alone")
    }
    return store
  }

  private func writing() throws(EnrollmentStoreError) -> any StoreTransaction {
    let core = try core()
    hasWritten = true
    return core
  }

  /// Runs a statement that reads, and gives its rows.
  public func rows(_ statement: StaticString, _ arguments: [SQLValue]) throws -> [SQLRow] {
    try core().rows(statement, arguments)
  }

  /// Runs a statement that changes rows, and gives how many.
  @discardableResult
  public func change(_ statement: StaticString, _ arguments: [SQLValue]) throws -> Int {
    try writing().change(statement, arguments)
  }

  /// Begins a statement that changes rows (``SQLStatements/beginChange(_:_:)``).
  @discardableResult
  public func beginChange(_ statement: StaticString, _ arguments: [SQLValue]) throws -> SQLLater<Int> {
    try writing().beginChange(statement, arguments)
  }

  /// Runs a statement that changes rows and gives them (`RETURNING`).
  public func changedRows(_ statement: StaticString, _ arguments: [SQLValue]) throws -> [SQLRow] {
    try writing().changedRows(statement, arguments)
  }

  /// Appends `SERVICE.EVENT` to the server's audit chain; nobody takes it back unnoticed.
  public func audit(_ event: String, _ fields: [String: String]) throws {
    try writing().audit(AuditEntry(event: "\(service).\(event)", time: now, fields: fields))
  }

  /// The device of an identifier, revoked ones too; nil if there is none.
  public func device(_ id: Identifier) throws -> DeviceRecord? { try core().device(id) }

  /// A user's devices, oldest first.
  public func devices(of user: UserName) throws -> [DeviceRecord] { try core().devices(of: user) }

  /// Whether there is a user of this name.
  public func hasUser(_ name: UserName) throws -> Bool { try core().user(named: name) != nil }
}

/// The same for a request that its device has signed with the key that it has now.
public final class SignedTransaction: ServiceTransaction {
  /// The device that signed.
  public let device: DeviceRecord
  private let approval: Approval?
  /// A challenge to issue if an approval is missing.
  private let challenge: ChallengeRecord
  private let policy: ServerPolicy
  /// What ``missingApproval(of:)`` was asked, and its answer.
  private(set) var asked: (content: ApprovedDigest, missing: Problem?)?

  init(
    _ core: any StoreTransaction, service: String, now: Int64, device: DeviceRecord, approval: Approval?,
    challenge: ChallengeRecord, policy: ServerPolicy
  ) {
    self.device = device
    self.approval = approval
    self.challenge = challenge
    self.policy = policy
    super.init(core, service: service, now: now)
  }

  /// What is missing for the approval of `content` by the device's approval key: nil if that key signed the challenge of exactly
  /// this. Refuse the request with the problem that this gives (``ServiceDecision/refused(_:)``): without an approval it has a
  /// challenge, which the client signs and sends with the same request (`Latchkey-Approval`).
  ///
  /// The challenge is of the purpose `service-NAME`: an approval for one service is none for another. A request has one approval, of
  /// all that needs one.
  ///
  /// - Parameter content: SHA-256 of a text that says what is approved. It begins with a line of its own for each kind of request, so
  ///   that an approval of one kind is none of another.
  /// - Throws: `EnrollmentStoreError.misuse` if it was asked about another content before.
  public func missingApproval(of content: ApprovedDigest) throws -> Problem? {
    if let asked {
      guard asked.content == content else {
        throw EnrollmentStoreError.misuse(
          "the service \(service) asks for two approvals of one request: give one digest of all that is approved")
      }
      return asked.missing
    }
    let missing = try validateApproval(of: content)
    asked = (content, missing)
    return missing
  }

  private func validateApproval(of content: ApprovedDigest) throws -> Problem? {
    guard device.approvalKey != nil else {
      return Problem(.notPermitted, detail: "this needs an approval key; register one for this device")
    }
    guard policy.takes(approvalEvidence: device.approvalEvidence) else {
      return Problem(
        .notPermitted, detail: "the approval key is not attested as this server demands; enroll anew")
    }
    guard policy.isOldEnough(approvalKeyOf: device, now: now) else {
      return Problem(
        .notPermitted,
        detail: "the approval key is new and does not count yet; wait until it does, or approve with another device")
    }
    if let approval {
      let verifier = ApprovalVerifier(purpose: .service(service), content: content, now: now)
      if try verifier.verify(approval, by: device, in: core()) { return nil }
    }
    var challenge = challenge
    (challenge.device, challenge.content) = (device.id, content)
    try core().addChallenge(challenge)
    return Problem(
      .approvalRequired, detail: "sign the challenge with the device's approval key and send the request again",
      challenge: Challenge(
        id: challenge.id.description, value: Base64Bytes(challenge.value),
        expiresIn: Int(challenge.expires - now)))
  }
}
