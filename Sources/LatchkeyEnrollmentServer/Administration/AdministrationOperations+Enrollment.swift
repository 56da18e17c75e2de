internal import Hummingbird
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

// How devices enroll: tokens, profiles, devices that wait for an approval, and the server's policy.

extension AdministrationOperations {
  static let enrollment = tokens + pendingDevices + profiles + policy

  private static let tokens: [AdministrationOperation] = [
    AdministrationOperation(
      method: .get, path: "tokens", name: "tokens",
      summary: "Enrollment tokens, newest first; those that ended stay for a month.", role: .viewer, parameters: paging,
      answer: "EnrollmentTokens"
    ) { call in
      let now = call.services.now
      let page = try await call.operating.tokens(limit: try call.limit(), cursor: call.cursor)
      return try .json(AdministrationPage(page) { EnrollmentTokenAnswer($0, now: now) })
    },
    AdministrationOperation(
      method: .post, path: "tokens", name: "createToken",
      summary: "Create a token with which one device enrolls, once. Its text is in this answer alone.", role: .owner,
      body: "NewEnrollmentToken", answer: "CreatedEnrollmentToken"
    ) { call in
      let new = try await call.value(NewEnrollmentToken.self)
      let (text, record) = try await call.operating.createToken(
        user: new.user, deviceName: new.deviceName, profile: new.profile ?? DeviceProfile.defaultName,
        lifetime: new.lifetime)
      return try .json(
        CreatedEnrollmentToken(token: record.id.description, text: text, expires: record.expires))
    },
    AdministrationOperation(
      method: .post, path: "tokens/revoke", name: "revokeToken",
      summary: "Revoke a token that was not used; a device that used it stays.", role: .operator,
      body: "NamedEnrollmentToken"
    ) { call in
      try await call.operating.revokeToken(call.value(NamedEnrollmentToken.self).token)
      return done
    },
  ]

  private static let pendingDevices: [AdministrationOperation] = [
    AdministrationOperation(
      method: .get, path: "devices/pending", name: "pendingDevices",
      summary: "Devices that wait for an approval, or have one and no certificate yet, oldest first.", role: .viewer,
      parameters: paging,
      answer: "PendingDevices"
    ) { call in
      let page = try await call.operating.pendingDevices(limit: try call.limit(), cursor: call.cursor)
      let names = try await call.operating.requestedNames(of: page.records.map(\.id))
      return try .json(AdministrationPage(page) { PendingDeviceAnswer($0, names: names[$0.id] ?? []) })
    },
    decision("approve", "Approve a device that waits; it gets its certificate when it asks again.", isApproved: true),
    decision("reject", "Reject a device that waits, or was approved and has no certificate yet.", isApproved: false),
  ]

  private static func decision(_ verb: String, _ summary: String, isApproved: Bool) -> AdministrationOperation {
    AdministrationOperation(
      method: .post, path: "devices/\(verb)", name: "\(verb)Device", summary: summary, role: .operator,
      body: "NamedDevice"
    ) { call in
      try await call.operating.decidePendingDevice(call.value(NamedDevice.self).device, isApproved: isApproved)
      return done
    }
  }

  private static let profiles: [AdministrationOperation] = [
    AdministrationOperation(
      method: .get, path: "profiles", name: "profiles", summary: "All profiles, by name.", role: .viewer,
      answer: "Profiles"
    ) { call in try .json(["items": await call.operating.profiles().map(ProfileAnswer.init)]) },
    AdministrationOperation(
      method: .post, path: "profiles", name: "addProfile",
      summary:
        "Define a profile; with `replaces` also one of a name that there is. Devices get its rules with their next certificate.",
      role: .owner, body: "NewProfile"
    ) { call in
      let new = try await call.value(NewProfile.self)
      try await call.operating.addProfile(new.profile(), replaces: new.replaces ?? false)
      return done
    },
    AdministrationOperation(
      method: .post, path: "profiles/remove", name: "removeProfile",
      summary: "Remove a profile that no valid device, unused token or waiting device has.", role: .owner,
      body: "NamedProfile"
    ) { call in
      try await call.operating.removeProfile(call.value(NamedProfile.self).name)
      return done
    },
  ]

  private static let policy: [AdministrationOperation] = [
    AdministrationOperation(
      method: .get, path: "policy", name: "policy",
      summary:
        "The policy of the server that answers: its options, which other servers of the store may have otherwise.",
      role: .viewer, answer: "Policy"
    ) { call in try .json(PolicyAnswer(call.services.policy)) }
  ]
}
