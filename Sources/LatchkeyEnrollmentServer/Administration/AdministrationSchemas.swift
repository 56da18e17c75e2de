internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// The schemas of the admin listener's bodies: one for each type of `AdministrationMessages`.
enum AdministrationSchemas {
  static let all: [(String, JSONLiteral)] =
    requests + records + enrollment
    + pages.map { ($0, page(of: $1)) }
    + [
      ("Problem", OpenAPISchemas.all.first { $0.0 == "Problem" }?.1 ?? [:]),
      // A problem may have one, though none of this listener's has.
      ("Challenge", OpenAPISchemas.all.first { $0.0 == "Challenge" }?.1 ?? [:]),
      ("Document", ["type": "object"]),
    ]

  private static let pages = [
    ("Users", "User"), ("Devices", "Device"), ("Certificates", "Certificate"), ("Sessions", "Session"),
    ("AuditEntries", "AuditEntry"),
  ]

  static func object(_ properties: [(String, JSONLiteral)], optional: Set<String> = []) -> JSONLiteral {
    [
      "type": "object", "required": .array(properties.map(\.0).filter { !optional.contains($0) }.map { .string($0) }),
      "properties": .members(properties),
    ]
  }

  static func page(of item: String) -> JSONLiteral {
    object(
      [
        ("items", ["type": "array", "items": .reference("schemas/\(item)")]),
        (
          "next",
          [
            "type": "string",
            "description":
              "The cursor of the next page; missing after the last. A page may be short, or empty, and have a `next`.",
          ]
        ),
      ], optional: ["next"])
  }

  static let text: JSONLiteral = ["type": "string"]
  static let time: JSONLiteral = [
    "type": "integer", "format": "int64", "description": "Seconds since 1970.",
  ]
  static let count: JSONLiteral = ["type": "integer", "minimum": 0]
  static let flag: JSONLiteral = ["type": "boolean"]
  private static let role: JSONLiteral = words(AdministratorRole.allCases.map(\.rawValue))

  static func orNull(_ value: JSONLiteral) -> JSONLiteral { ["anyOf": [value, ["type": "null"]]] }

  static func words(_ words: [String]) -> JSONLiteral {
    ["type": "string", "enum": .array(words.map { .string($0) })]
  }

  static func short(_ most: Int, _ description: String) -> JSONLiteral {
    [
      "type": "string", "minLength": 1, "maxLength": .integer(most), "description": .string(description),
    ]
  }

  static let device: JSONLiteral = ["type": "string", "pattern": "^[0-9a-f]{32}$"]
  static let user = short(64, "The user's name.")
  private static let reason: JSONLiteral = words(RevocationReason.allCases.map(\.name))
  private static let password: JSONLiteral = [
    "type": "string", "minLength": 8, "maxLength": .integer(Passwords.longest),
  ]

  private static let requests: [(String, JSONLiteral)] = [
    ("NewAdministrator", object([("name", short(64, "The name in the audit log.")), ("role", role)])),
    ("NamedAdministrator", object([("name", short(64, "The administrator's name."))])),
    ("NewUser", object([("user", user), ("password", password)])),
    (
      "NewPassword",
      object([("user", user), ("password", password), ("endSessions", orNull(flag))], optional: ["endSessions"])
    ),
    ("NamedUser", object([("user", user)])),
    ("DeviceRevocation", object([("device", device), ("reason", orNull(reason))], optional: ["reason"])),
    ("NewDeviceName", object([("device", device), ("name", short(64, "The new name."))])),
    (
      "CertificateSerial",
      object(
        [("serial", ["type": "string", "pattern": "^(?:[0-9a-f]{2}){1,20}$"]), ("reason", orNull(reason))],
        optional: ["reason"])
    ),
    ("NamedSession", object([("session", ["type": "string", "pattern": "^[0-9a-f]{64}$"])])),
  ]

  private static let records: [(String, JSONLiteral)] = [
    (
      "Administrator",
      object([("name", text), ("role", role), ("created", time), ("proof", words(["token", "certificate"]))])
    ),
    ("Administrators", object([("items", ["type": "array", "items": .reference("schemas/Administrator")])])),
    ("AddedAdministrator", object([("name", text), ("role", role), ("token", text)])),
    (
      "User",
      object(
        [
          ("user", text), ("state", words(UserFilter.State.allCases.map(\.rawValue))), ("failures", count),
          ("lockedUntil", time), ("disabled", time), ("hasPassword", flag),
        ], optional: ["lockedUntil", "disabled"])
    ),
    (
      "Device",
      object(
        [
          ("device", device), ("user", text), ("name", text), ("created", time), ("revoked", time),
          ("identityKeyEvidence", text), ("hasApprovalKey", flag), ("approvalKeyEvidence", text),
          ("isUserDisabled", flag),
        ], optional: ["revoked", "identityKeyEvidence", "approvalKeyEvidence"])
    ),
    (
      "Certificate",
      object(
        [
          ("serial", text), ("fingerprint", text), ("device", device), ("notAfter", time), ("revoked", time),
          ("reason", count),
        ], optional: ["revoked", "reason"])
    ),
    (
      "Session",
      object([("session", text), ("user", text), ("device", device), ("expires", time)], optional: ["device"])
    ),
    ("EndedSessions", object([("sessions", count)])),
    (
      "AuditEntry",
      object([
        ("node", text), ("sequence", count), ("time", time), ("event", text),
        ("fields", ["type": "object", "additionalProperties": text]), ("hash", text),
      ])
    ),
    ("AuditHeads", object([("text", text)])),
  ]
}
