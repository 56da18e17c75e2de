public import LatchkeyEnrollmentProtocol

/// What can be done inside a transaction: the verbs of the core, and statements for the tables of services. Times are seconds since
/// 1970.
public protocol StoreTransaction: StoreAdministration, SQLStatements {
  // MARK: Users

  /// Adds a user. False if there is one of that name.
  func addUser(_ user: UserRecord) throws -> Bool
  /// The user of a name.
  func user(named name: UserName) throws -> UserRecord?
  /// Sets the count of failures and the end of the lock, or another password.
  func updateUser(_ user: UserRecord) throws

  /// Whether the user logged in from a place: by a digest of user and place.
  func isLoginPlace(_ place: [UInt8], of user: UserName) throws -> Bool
  /// Notes that the user logged in from a place. The store holds each user's last 32 places, for half a year.
  func noteLoginPlace(_ place: [UInt8], of user: UserName, now: Int64) throws
  /// Forgets from where the user logged in.
  func forgetLoginPlaces(of user: UserName) throws

  // MARK: Sessions

  /// Keeps a token.
  func addToken(_ token: TokenRecord) throws
  /// The token of a hash, unless it has ended.
  func token(hash: [UInt8], now: Int64) throws -> TokenRecord?
  /// Ends all sessions of a user; gives how many there were.
  func forgetTokens(of user: UserName) throws -> Int
  /// Says that the token has registered a device. False if it had already: once each.
  func claimRegistration(token hash: [UInt8]) throws -> Bool

  // MARK: Devices and certificates

  /// Adds a device.
  func addDevice(_ device: DeviceRecord) throws
  /// The device of an identifier, revoked ones too.
  func device(_ id: Identifier) throws -> DeviceRecord?
  /// A user's devices, oldest first.
  func devices(of user: UserName) throws -> [DeviceRecord]
  /// How many devices of a user count: those that are not revoked, and have a certificate that counts at `now` or an approval key.
  func countDevices(of user: UserName, now: Int64) throws -> Int
  /// Sets the keys of a device.
  func updateDevice(_ device: DeviceRecord) throws
  /// Keeps a certificate that was issued.
  func addCertificate(_ certificate: CertificateRecord) throws
  /// The certificate of a fingerprint, with its device.
  func certificate(fingerprint: Fingerprint) throws -> (certificate: CertificateRecord, device: DeviceRecord)?
  /// The certificate of a serial number, as it stands in the certificate.
  func certificate(serial: [UInt8]) throws -> CertificateRecord?
  /// The certificates of a device, newest end last.
  func certificates(of device: Identifier) throws -> [CertificateRecord]
  /// Revokes a device and all its certificates; raises ``revocationEpoch()``. False if there is none, or it was revoked.
  func revokeDevice(_ id: Identifier, at now: Int64, reason: Int) throws -> Bool
  /// Revokes one certificate; raises ``revocationEpoch()``. False if there is none, or it was revoked.
  func revokeCertificate(fingerprint: Fingerprint, at now: Int64, reason: Int) throws -> Bool
  /// Revokes all certificates of a device that count at `now`, but one; raises ``revocationEpoch()`` if there were any.
  ///
  /// - Returns: how many.
  func revokeCertificates(of device: Identifier, except current: Fingerprint, at now: Int64, reason: Int) throws -> Int
  /// Whether a revoked device of a user has this identity key, X9.63.
  func isRevoked(identityKey key: [UInt8], of user: UserName) throws -> Bool
  /// Revoked certificates whose end is after `now`, by serial number: what a revocation list holds.
  func revokedCertificates(now: Int64) throws -> [CertificateRecord]
  /// How often something was revoked: never goes back. Other servers see by it that their caches are old.
  func revocationEpoch() throws -> Int64

  // MARK: Enrollment

  /// The profile of a name, as the operator defined it.
  func profile(named name: String) throws -> DeviceProfile?
  /// The profiles that the operator defined, by name.
  func profiles() throws -> [DeviceProfile]
  /// Defines a profile, or replaces the one of its name.
  func setProfile(_ profile: DeviceProfile) throws
  /// Removes a profile. False if there is none.
  func removeProfile(named name: String) throws -> Bool
  /// The number of devices that are not revoked, usable tokens and pending devices with this profile.
  func countUses(ofProfile name: String, now: Int64) throws -> Int
  /// Adds an enrollment token.
  func addEnrollmentToken(_ token: EnrollmentTokenRecord) throws
  /// The enrollment token of a hash, also one that has ended.
  func enrollmentToken(hash: [UInt8]) throws -> EnrollmentTokenRecord?
  /// Uses an enrollment token. False if it was used or revoked, or has expired: once each.
  func useEnrollmentToken(hash: [UInt8], by use: EnrollmentTokenRecord.Use) throws -> Bool
  /// Revokes an unused enrollment token; raises ``revocationEpoch()``. False if there is none, or it was used or revoked.
  func revokeEnrollmentToken(_ id: Identifier, at now: Int64) throws -> Bool
  /// Adds a device that waits for an approval. False if its registration is there already.
  func addPendingDevice(_ device: PendingDeviceRecord) throws -> Bool
  /// The pending device of an identifier, also one that was decided or has expired.
  func pendingDevice(_ id: Identifier) throws -> PendingDeviceRecord?
  /// The pending device of a user that came with an Idempotency-Key.
  func pendingDevice(request: String, of user: UserName) throws -> PendingDeviceRecord?
  /// A user's newest pending device with this identity key that has not expired, also a rejected one.
  func pendingDevice(identityKey key: [UInt8], of user: UserName, now: Int64) throws -> PendingDeviceRecord?
  /// The number of a user's pending devices that have not expired: undecided, or approved and not completed.
  func countPendingDevices(of user: UserName, now: Int64) throws -> Int
  /// Approves or rejects a pending device. False if there is none, it has expired, or it was decided: once each, but an approved
  /// one can still be rejected. Revoking a device, or one of its certificates, takes its approvals back.
  func decidePendingDevice(_ id: Identifier, _ decision: PendingDeviceRecord.Decision, at now: Int64) throws -> Bool
  /// Rejects all pending devices of a user, also approved ones that were not completed.
  ///
  /// - Returns: how many there were.
  func rejectPendingDevices(of user: UserName, by maker: PendingDeviceRecord.Decision.Maker, at now: Int64) throws
    -> Int
  /// Removes a user's registration under an Idempotency-Key that was not approved, or not collected, in time. False if there is none.
  func removeExpiredDevice(request: String, of user: UserName, now: Int64) throws -> Bool
  /// Removes an approved device from those that wait. False if there is none: once each.
  func takeApprovedDevice(_ id: Identifier, now: Int64) throws -> Bool

  /// The names that a device has asked for in its signing request and may have, or that one which waits asks for, in order.
  func requestedNames(of device: Identifier) throws -> [String]
  /// Sets them.
  func setRequestedNames(_ names: [String], of device: Identifier) throws
  /// Whether a device of another user, which is not revoked, has asked for this name and may have it.
  func isRequestedName(_ name: String, ofOtherUserThan user: UserName) throws -> Bool

  // MARK: ACME

  /// Adds an order of ACME.
  func addACMEOrder(_ order: ACMEOrderRecord) throws
  /// The order of an ``ACMEOrderRecord/id`` that has not ended.
  func acmeOrder(_ id: [UInt8], now: Int64) throws -> ACMEOrderRecord?
  /// The number of orders with the enrollment token of a hash that have not ended.
  func countACMEOrders(ofToken hash: [UInt8], now: Int64) throws -> Int
  /// The number of an account's orders that have not ended.
  func countACMEOrders(ofAccount account: [UInt8], now: Int64) throws -> Int
  /// Whether an account registered a device by an order that has not ended.
  func isDevice(_ device: Identifier, ofACMEAccount account: [UInt8], now: Int64) throws -> Bool
  /// Records what became of an order's challenge. False if there is no such order, or it was answered: once each.
  func answerACMEChallenge(_ id: [UInt8], _ outcome: ACMEOrderRecord.Outcome, at now: Int64) throws -> Bool
  /// Records the accepted signing request of an order, the first one alone, and the order's new end.
  func finalizeACMEOrder(_ id: [UInt8], signingRequest: [UInt8], expires: Int64) throws

  // MARK: Used once

  /// Keeps a challenge.
  func addChallenge(_ challenge: ChallengeRecord) throws
  /// Takes a challenge: nil if there is none of that name, it has ended, or it was taken. Two cannot both get it.
  func takeChallenge(_ id: Identifier, now: Int64) throws -> ChallengeRecord?
  /// Claims a nonce of a device until `expires`. False if it was claimed already.
  func claimNonce(_ nonce: Nonce, device: Identifier, expires: Int64) throws -> Bool
  /// Begins ``claimNonce(_:device:expires:)``, as ``SQLStatements/beginChange(_:_:)`` does. Take the result before the transaction
  /// ends.
  func beginClaim(of nonce: Nonce, device: Identifier, expires: Int64) throws -> SQLLater<Bool>
  /// What was answered to this key in a scope: a user's requests to a service, say.
  func answer(to key: String, scope: String) throws -> StoredAnswer?
  /// Keeps what was answered, in the transaction that did what it says. False if there is an answer already.
  func addAnswer(_ answer: StoredAnswer, to key: String, scope: String) throws -> Bool
  /// Forgets what has ended: tokens, challenges, nonces, answers, places of logins, orders, reports of limits. At most `limit` of each.
  func forgetEnded(now: Int64, limit: Int) throws -> Int

  // MARK: Services

  /// The version of a service's tables; nil for one that has none in this store.
  func serviceVersion(_ name: String) throws -> Int?
  /// Makes a service's tables, or brings them forward.
  ///
  /// - Throws: `.misuse` if a later program made them, or a definition is refused.
  func bringForward(_ schema: ServiceSchema) throws
  /// Whether there is any record that an audit entry names: a user, a device.
  func hasRecords() throws -> Bool
  /// Whether a device ever enrolled.
  func hasDevices() throws -> Bool

  // MARK: Audit and settings

  /// Appends to this node's chain.
  func audit(_ entry: AuditEntry) throws
  /// The entries of a node's chain after a sequence number, oldest first, at most `limit`, and 1001.
  func auditEntries(node: String, after sequence: Int64, limit: Int) throws -> [ChainedEntry]
  /// The end of a node's chain; nil for a node that has none.
  func auditHead(node: String) throws -> AuditHead?
  /// The ends of all chains, by node.
  func auditHeads() throws -> [AuditHead]
  /// The nodes that have chains, or had one that was pruned.
  func auditNodes() throws -> [String]
  /// The number of the first entry of a node's chain that is there.
  func firstAuditEntry(node: String) throws -> Int64?
  /// The last pruning of a node's chain.
  func auditPruning(node: String) throws -> AuditPruning?
  /// The last pruning of each chain that was pruned, by node.
  func auditPrunings() throws -> [AuditPruning]
  /// Deletes a chain's entries up to the one that a pruning names, and stores the pruning in place of the one before.
  ///
  /// - Returns: how many entries were deleted; 0, and nothing is stored, if the chain was pruned so far before.
  /// - Throws: `.misuse` if the chain has no such entry, `.damaged` if others before it are missing.
  func pruneAudit(_ pruning: AuditPruning) throws -> Int
  /// Claims a server's name until `expires`, or prolongs the claim. False while another holder has it.
  func claimNode(_ name: String, holder: Identifier, now: Int64, expires: Int64) throws -> Bool
  /// Gives a name back, if this holder has it.
  func releaseNode(_ name: String, holder: Identifier) throws
  /// How many servers of other names have claims that count at `now`.
  func countNodes(otherThan name: String, now: Int64) throws -> Int
  /// Stores what this server tells the others about its limits, in the place of its report before.
  func setLimitReport(_ report: LimitReport) throws
  /// The newest reports of servers of other names that have not ended, at most `limit`.
  func limitReports(otherThan node: String, now: Int64, limit: Int) throws -> [LimitReport]
  /// A setting of the service, such as the authority's certificate.
  func setting(_ name: String) throws -> [UInt8]?
  /// Sets a setting.
  func setSetting(_ name: String, to value: [UInt8]) throws
}
