internal import Crypto
internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

extension PendingDevice {
  /// - Parameter names: those that it asked for.
  init(_ record: PendingDeviceRecord, names: [String]) {
    self.init(
      device: record.id.description, name: record.name, user: record.user.text,
      keyDigest: Base64Bytes(Array(SHA256.hash(data: record.identityKey))), created: record.created,
      expires: record.expires, requestedNames: names)
  }
}

/// Lets a device of a user approve or reject another one that waits.
struct DeviceApprovalCeremony: Sendable {
  let services: Services

  /// The devices of the caller's user that wait for a decision.
  func pending(over shown: AuthenticatedDevice) async throws -> PendingDeviceList {
    let (now, limit) = (services.now, services.limits.pendingDevicesPerUser)
    return try await services.store.read { store in
      var (found, place) = ([PendingDeviceRecord](), CreationPlace?.none)
      repeat {
        let part = try store.pendingDevices(of: shown.user, after: place, now: now, limit: limit - found.count)
        found += part.records
        place = part.end.map { CreationPlace(created: $0.created, id: $0.id) }
      } while place != nil && found.count < limit
      return PendingDeviceList(devices: try found.filter { $0.decision == nil }.map(store.pendingDevice))
    }
  }

  /// Decides about a device. The challenge is consumed whatever the result: a wrong signature gets no second attempt.
  ///
  /// - Throws: ``Problem``: `.notFound` for a device that does not wait, or not for this user; `.notPermitted`.
  func decide(_ decision: DeviceDecision, over shown: AuthenticatedDevice) async throws {
    let now = services.now
    let policy = services.policy
    guard let id = Identifier(decision.device), let challengeID = Identifier(decision.challengeID) else {
      throw Problem(.malformedRequest, detail: "devices and challenges are named by 32 hexadecimal digits")
    }
    // Returned and not thrown: a refusal must not restore the challenge.
    let refusal = try await services.store.write { store -> Problem? in
      _ = try KnownCertificate(store.certificate(fingerprint: shown.fingerprint)).device(at: now)
      guard let approver = try store.device(shown.id) else { throw Problem(.notAuthenticated) }
      let challenge = try store.takeChallenge(challengeID, now: now)
      guard let pending = try store.pendingDevice(id), pending.user == approver.user, pending.decision == nil,
        pending.expires > now
      else { return Problem(.notFound, detail: "no device of this user waits under this identifier") }
      let profile = try store.rules(ofProfile: pending.profile)
      guard profile.approval == .device, !profile.namesDevices || pending.nameApproval != nil else {
        return Problem(.notPermitted, detail: "only the operator approves devices of this profile")
      }
      // The same key under two names is one device.
      guard approver.identityKey != pending.identityKey, approver.id != pending.id else {
        return Problem(.notPermitted, detail: "a device does not approve itself")
      }
      // A server that demands attested approval keys takes no identity key instead of one.
      guard policy.takes(approvalEvidence: approver.approvalEvidence) else {
        return Problem(
          .notPermitted,
          detail: "this device has no approval key that is attested as this server requires; have another one approve")
      }
      guard policy.isOldEnough(approvalKeyOf: approver, now: now) else {
        return Problem(.notPermitted, detail: "the approval key of this device is too new to approve; try again later")
      }
      // With the names: who has not seen them has not signed them.
      let decided = try store.pendingDevice(pending)
      let content = decided.digest(isApproved: decision.isApproved)
      guard let challenge, challenge.device == approver.id, challenge.purpose == .enrollment,
        challenge.content == ApprovedDigest(content),
        ApprovalVerifier.isSigned(
          decision.signature.bytes, challenge: challenge, purpose: .enrollment, content: ApprovedDigest(content),
          publicKey: approver.approvalKey ?? approver.identityKey)
      else {
        return Problem(
          .notPermitted,
          detail: "the signature does not answer an unused challenge for this decision; request a new challenge, and "
            + "sign it with the approval key if the device has one")
      }
      let made = PendingDeviceRecord.Decision(isApproved: decision.isApproved, by: .device(approver.id))
      guard try store.decidePendingDevice(id, made, at: now) else {
        return Problem(.notFound, detail: "no device of this user waits under this identifier")
      }
      var fields = [
        "device": pending.id.description, "user": pending.user.text, "by": "device",
        "approver": approver.id.description, "key": approver.approvalKey == nil ? "identity" : "approval",
      ]
      if !decided.requestedNames.isEmpty { fields["names"] = decided.requestedNames.joined(separator: " ") }
      try store.audit(
        AuditEntry(event: decision.isApproved ? "device.approved" : "device.rejected", time: now, fields: fields))
      return nil
    }
    if let refusal { throw refusal }
  }
}

extension StoreTransaction {
  /// A waiting device as its approvers see it.
  func pendingDevice(_ record: PendingDeviceRecord) throws -> PendingDevice {
    PendingDevice(record, names: try requestedNames(of: record.id))
  }
}
