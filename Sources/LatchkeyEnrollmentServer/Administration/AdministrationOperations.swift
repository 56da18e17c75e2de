internal import Hummingbird
internal import LatchkeyCertificateAuthority
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// Every operation of the admin listener. The router and the OpenAPI document are made of this list alone.
enum AdministrationOperations {
  static let all = administration + users + devices + certificates + sessions + enrollment + audit

  static let done = Response(status: .noContent)

  // MARK: Parameters

  private typealias Parameter = AdministrationOperation.Parameter

  static let paging = [
    AdministrationOperation.Parameter(
      name: "limit", description: "The most records of the page; 100 if it is left out.",
      schema: ["type": "integer", "minimum": 1, "maximum": .integer(PageCursor.limits.upperBound)]),
    Parameter(
      name: "cursor", description: "`next` of the page before.",
      schema: ["type": "string", "pattern": "^[A-Za-z0-9_-]{1,1024}$"]),
  ]

  private static func text(_ name: String, _ description: String, isRequired: Bool = false) -> Parameter {
    Parameter(
      name: name, description: description, schema: ["type": "string", "maxLength": 256], isRequired: isRequired)
  }

  private static func words<Choice: RawRepresentable & CaseIterable>(
    _ name: String, _ description: String, _: Choice.Type
  ) -> Parameter where Choice.RawValue == String {
    Parameter(
      name: name, description: description,
      schema: ["type": "string", "enum": .array(Choice.allCases.map { .string($0.rawValue) })])
  }

  private enum Revoked: String, CaseIterable { case yes, no }

  private static func reason(_ name: String?) throws -> RevocationReason {
    guard let name else { return .cessationOfOperation }
    guard let reason = RevocationReason(name: name) else {
      throw Problem(
        .invalidValue,
        detail: "reason is one of \(RevocationReason.allCases.map(\.name).joined(separator: ", "))")
    }
    return reason
  }

  // MARK: Administrators

  private static let administration: [AdministrationOperation] = [
    AdministrationOperation(
      method: .get, path: "openapi.json", name: "document", summary: "This document.", role: .viewer,
      answer: "Document"
    ) { _ in .bytes(Array(AdministrationDocument.value.text.utf8), type: "application/json") },
    AdministrationOperation(
      method: .get, path: "administrator", name: "whoAmI", summary: "Who asks, and in which role.", role: .viewer,
      answer: "Administrator"
    ) { try .json(AdministratorAnswer($0.administrator)) },
    AdministrationOperation(
      method: .get, path: "administrators", name: "administrators", summary: "All administrators.", role: .owner,
      answer: "Administrators"
    ) {
      try .json(AdministratorList(items: await $0.operating.administrators().map(AdministratorAnswer.init)))
    },
    AdministrationOperation(
      method: .post, path: "administrators", name: "addAdministrator",
      summary: "Add an administrator with a token, which is in this answer alone.", role: .owner,
      body: "NewAdministrator", answer: "AddedAdministrator"
    ) { call in
      let new = try await call.value(NewAdministrator.self)
      guard let role = AdministratorRole(rawValue: new.role) else {
        throw Problem(.invalidValue, detail: "role is one of viewer, operator, owner")
      }
      let token = try await call.operating.addAdministrator(new.name, role: role)
      return try .json(NewAdministratorAnswer(name: new.name, role: role.rawValue, token: token))
    },
    AdministrationOperation(
      method: .post, path: "administrators/remove", name: "removeAdministrator",
      summary: "Remove an administrator, who is refused from then on.", role: .owner, body: "NamedAdministrator"
    ) { call in
      try await call.operating.removeAdministrator(call.value(NamedAdministrator.self).name)
      return done
    },
  ]

  // MARK: Users

  private static func onUser(
    _ verb: String, _ summary: String, _ act: @escaping @Sendable (Operator, String) async throws -> Void
  ) -> AdministrationOperation {
    AdministrationOperation(
      method: .post, path: "users/\(verb)", name: "\(verb)User", summary: summary, role: .operator, body: "NamedUser",
      changesDevices: true
    ) { call in
      try await act(call.operating, call.value(NamedUser.self).user)
      return done
    }
  }

  private static let users: [AdministrationOperation] = [
    AdministrationOperation(
      method: .get, path: "users", name: "users", summary: "Users, by name.", role: .viewer,
      parameters: [
        text("prefix", "The names' first characters."), words("state", "The state.", UserFilter.State.self),
      ] + paging, answer: "Users"
    ) { call in
      let page = try await call.operating.users(
        UserFilter(prefix: call.query["prefix"] ?? "", state: try call.choice("state")), limit: try call.limit(),
        cursor: call.cursor)
      let now = call.services.now
      return try .json(AdministrationPage(page) { UserAnswer($0, now: now) })
    },
    AdministrationOperation(
      method: .get, path: "user", name: "user", summary: "One user.", role: .viewer,
      parameters: [text("user", "The user's name.", isRequired: true)], answer: "User"
    ) { call in
      try .json(UserAnswer(await call.operating.user(call.required("user")), now: call.services.now))
    },
    AdministrationOperation(
      method: .post, path: "users", name: "addUser", summary: "Add a user who logs in with a password.", role: .owner,
      body: "NewUser"
    ) { call in
      let new = try await call.value(NewUser.self)
      let hash = try await call.services.passwords.hash(Operator.checked(password: new.password))
      try await call.operating.addUser(new.user, hash: hash)
      return done
    },
    AdministrationOperation(
      method: .post, path: "users/password", name: "setPassword",
      summary: "Give a user another password, and end a lock.", role: .owner, body: "NewPassword"
    ) { call in
      let new = try await call.value(NewPassword.self)
      let hash = try await call.services.passwords.hash(Operator.checked(password: new.password))
      try await call.operating.setHash(hash, of: new.user, endsSessions: new.endSessions ?? false)
      return done
    },
    onUser("disable", "Refuse the user's logins and devices until the user is enabled, and end the sessions.") {
      try await $0.disable($1)
    },
    onUser("enable", "Let in a user who was disabled.") { try await $0.enable($1) },
    onUser("unlock", "End a user's lock.") { try await $0.unlock($1) },
  ]

  // MARK: Devices and certificates

  private static let devices: [AdministrationOperation] = [
    AdministrationOperation(
      method: .get, path: "devices", name: "devices", summary: "Devices, by identifier.", role: .viewer,
      parameters: [
        text("user", "The owner."), text("prefix", "The names' first characters."),
        words("revoked", "Whether they are revoked.", Revoked.self),
      ] + paging, answer: "Devices"
    ) { call in
      let revoked: Revoked? = try call.choice("revoked")
      let filter = DeviceFilter(
        user: call.query["user"].map { UserName(stored: $0) }, prefix: call.query["prefix"] ?? "",
        isRevoked: revoked.map { $0 == .yes })
      let page = try await call.operating.devices(filter, limit: try call.limit(), cursor: call.cursor)
      return try .json(AdministrationPage(page, DeviceAnswer.init))
    },
    AdministrationOperation(
      method: .get, path: "device", name: "device", summary: "One device.", role: .viewer,
      parameters: [text("device", "The device's identifier.", isRequired: true)], answer: "Device"
    ) { call in try .json(DeviceAnswer(await call.operating.device(call.required("device")))) },
    AdministrationOperation(
      method: .post, path: "devices/revoke", name: "revokeDevice",
      summary: "Revoke a device with all its certificates, for good.", role: .operator, body: "DeviceRevocation",
      changesDevices: true
    ) { call in
      let wanted = try await call.value(DeviceRevocation.self)
      try await call.operating.revokeDevice(wanted.device, reason: reason(wanted.reason))
      return done
    },
    AdministrationOperation(
      method: .post, path: "devices/rename", name: "renameDevice", summary: "Give a device another name.",
      role: .operator, body: "NewDeviceName", changesDevices: true
    ) { call in
      let wanted = try await call.value(NewDeviceName.self)
      try await call.operating.renameDevice(wanted.device, to: wanted.name)
      return done
    },
  ]

  private static let certificates: [AdministrationOperation] = [
    AdministrationOperation(
      method: .get, path: "certificates", name: "certificates", summary: "Certificates, by fingerprint.", role: .viewer,
      parameters: [
        text("device", "The device's identifier."), words("state", "The state.", CertificateFilter.State.self),
      ] + paging, answer: "Certificates"
    ) { call in
      let filter = CertificateFilter(
        device: try call.query["device"].map { text throws(OperatorError) in try Operator.identifier(text) },
        state: try call.choice("state"))
      let page = try await call.operating.certificates(filter, limit: try call.limit(), cursor: call.cursor)
      return try .json(AdministrationPage(page, CertificateAnswer.init))
    },
    AdministrationOperation(
      method: .get, path: "certificate", name: "certificate", summary: "One certificate.", role: .viewer,
      parameters: [text("serial", "The serial number, hexadecimal.", isRequired: true)], answer: "Certificate"
    ) { call in try .json(CertificateAnswer(await call.operating.certificate(serial: call.required("serial")))) },
    AdministrationOperation(
      method: .post, path: "certificates/revoke", name: "revokeCertificate",
      summary: "Revoke one certificate; the device's others count on.", role: .operator, body: "CertificateSerial",
      changesDevices: true
    ) { call in
      let wanted = try await call.value(CertificateSerial.self)
      try await call.operating.revokeCertificate(serial: wanted.serial, reason: reason(wanted.reason))
      return done
    },
  ]

  // MARK: Sessions and the audit log

  private static let sessions: [AdministrationOperation] = [
    AdministrationOperation(
      method: .get, path: "sessions", name: "sessions",
      summary: "Sessions that have not ended, by identifier: SHA-256 of the token, which is not stored.", role: .viewer,
      parameters: [text("user", "The user's name.")] + paging, answer: "Sessions"
    ) { call in
      let page = try await call.operating.sessions(
        of: call.query["user"], limit: try call.limit(), cursor: call.cursor)
      return try .json(AdministrationPage(page, SessionAnswer.init))
    },
    AdministrationOperation(
      method: .post, path: "sessions/end", name: "endSession", summary: "End one session.", role: .operator,
      body: "NamedSession"
    ) { call in
      try await call.operating.endSession(call.value(NamedSession.self).session)
      return done
    },
    AdministrationOperation(
      method: .post, path: "users/sessions/end", name: "endSessions", summary: "End all sessions of a user.",
      role: .operator, body: "NamedUser", answer: "EndedSessions"
    ) { call in
      try .json(EndedSessions(sessions: await call.operating.endSessions(of: call.value(NamedUser.self).user)))
    },
  ]

  private static let audit: [AdministrationOperation] = [
    AdministrationOperation(
      method: .get, path: "audit", name: "audit",
      summary:
        "Audit entries by chain and number. A page looks at 20000 entries at most, and may be short with a `next`.",
      role: .viewer,
      parameters: [
        text("node", "The chain: a server's name."), text("event", "The events' first characters: `device.`."),
        text("value", "What one of an entry's fields is: a user, a device."),
        Parameter(
          name: "since", description: "The first time, seconds since 1970.",
          schema: ["type": "integer", "format": "int64", "minimum": 0]),
      ] + paging, answer: "AuditEntries"
    ) { call in
      var filter = Operator.AuditFilter(
        node: call.query["node"], event: call.query["event"] ?? "", value: call.query["value"])
      if let since = call.query["since"] {
        guard let time = Int64(since), time >= 0 else {
          throw Problem(.malformedRequest, detail: "since is seconds since 1970")
        }
        filter.since = time
      }
      let page = try await call.operating.auditEntries(filter, limit: try call.limit(), cursor: call.cursor)
      return try .json(AdministrationPage(page, AuditEntryAnswer.init))
    },
    AdministrationOperation(
      method: .get, path: "audit/heads", name: "auditHeads",
      summary: "Where the chains end, signed by the answer key: keep it elsewhere.", role: .viewer, answer: "AuditHeads"
    ) { call in
      let checkpoint = try await call.operating.auditCheckpoint()
        .signed(by: call.services.configuration.answerKey.sign)
      return try .json(["text": checkpoint.text])
    },
  ]
}
