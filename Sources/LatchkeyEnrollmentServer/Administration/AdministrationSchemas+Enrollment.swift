internal import LatchkeyEnrollmentStore

/// The schemas of bodies about enrollments: one for each type of `AdministrationMessages+Enrollment`.
extension AdministrationSchemas {
  private static let profileName: JSONLiteral = ["type": "string", "pattern": "^[a-z0-9-]{1,64}$"]
  private static let names: JSONLiteral = [
    "type": "array", "items": text,
    "description":
      "At most 8: `dns:`, `ip:` or `uri:` and a text in which `{device}`, `{name}` and `{user}` are replaced.",
  ]
  private static let patterns: JSONLiteral = [
    "type": "array", "items": text,
    "description":
      "The names that a signing request may ask for, at most 16: `dns:NAME`, `dns:*.NAME`, `ip:ADDRESS`, `ip:ADDRESS/LENGTH`, `uri:URI`, or a URI with `*` as its last segment; `{user}` is replaced.",
  ]
  private static let ways: JSONLiteral = [
    "type": "array", "items": words(DeviceProfile.Way.allCases.map(\.rawValue)),
    "description": "One at least; all, if it is left out.",
  ]
  private static let attestation = words(DeviceProfile.Attestation.allCases.map(\.rawValue))
  private static let approval = words(DeviceProfile.Approval.allCases.map(\.rawValue))
  private static let lifetime: JSONLiteral = [
    "type": "integer", "format": "int64", "minimum": 600, "maximum": .integer(3660 * 86_400),
    "description": "Seconds.",
  ]
  private static let seconds: JSONLiteral = [
    "type": "integer", "format": "int64", "minimum": 0, "description": "Seconds.",
  ]
  private static let token: JSONLiteral = [
    "type": "string", "pattern": "^[0-9a-f]{32}$", "description": "The token's identifier; no secret.",
  ]

  private static func items(_ name: String) -> JSONLiteral {
    object([("items", ["type": "array", "items": .reference("schemas/\(name)")])])
  }

  static let enrollment: [(String, JSONLiteral)] = [
    (
      "NewEnrollmentToken",
      object(
        [
          ("user", user), ("deviceName", orNull(short(64, "The only name that the device may have."))),
          ("profile", orNull(profileName)),
          (
            "lifetime",
            ["type": "integer", "minimum": 60, "maximum": .integer(90 * 86_400), "description": "Seconds."]
          ),
        ], optional: ["deviceName", "profile"])
    ),
    (
      "CreatedEnrollmentToken",
      object([
        ("token", token), ("text", ["type": "string", "description": "What the device enrolls with: a secret."]),
        ("expires", time),
      ])
    ),
    ("NamedEnrollmentToken", object([("token", token)])),
    (
      "EnrollmentToken",
      object(
        [
          ("token", token), ("user", text), ("deviceName", text), ("profile", text), ("created", time),
          ("expires", time), ("state", words(["unused", "used", "revoked", "expired"])), ("device", device),
        ], optional: ["deviceName", "device"])
    ),
    ("EnrollmentTokens", page(of: "EnrollmentToken")),
    ("NamedDevice", object([("device", device)])),
    (
      "PendingDevice",
      object(
        [
          ("device", device), ("name", text), ("user", text), ("profile", text),
          ("digits", ["type": "string", "description": "The digits that the device shows: compare them."]),
          ("created", time), ("expires", time),
          (
            "requestedNames",
            ["type": "array", "items": text, "description": "The names that its signing request asks for."]
          ),
          (
            "approvedBy",
            [
              "type": "string",
              "description": "`operator` or the device that approved it; not there while it is undecided.",
            ]
          ),
        ], optional: ["approvedBy"])
    ),
    ("PendingDevices", page(of: "PendingDevice")),
    (
      "NewProfile",
      object(
        [
          ("name", profileName), ("certificateLifetime", orNull(lifetime)), ("alternativeNames", orNull(names)),
          ("attestation", orNull(attestation)), ("ways", orNull(ways)), ("approval", orNull(approval)),
          ("renewalAfterExpiry", orNull(seconds)), ("issuer", orNull(profileName)),
          ("requestedNames", orNull(patterns)), ("replaces", orNull(flag)),
        ],
        optional: [
          "certificateLifetime", "alternativeNames", "attestation", "ways", "approval", "renewalAfterExpiry", "issuer",
          "requestedNames", "replaces",
        ])
    ),
    ("NamedProfile", object([("name", profileName)])),
    (
      "Profile",
      object(
        [
          ("name", text), ("certificateLifetime", lifetime), ("alternativeNames", names), ("attestation", attestation),
          ("ways", ways), ("approval", approval), ("renewalAfterExpiry", seconds), ("issuer", text),
          ("requestedNames", patterns),
        ], optional: ["certificateLifetime", "attestation", "renewalAfterExpiry", "issuer"])
    ),
    ("Profiles", items("Profile")),
    (
      "Policy",
      object([
        ("allowsPasswordEnrollment", flag), ("certificateLifetime", seconds), ("renewalAfterExpiry", seconds),
        ("tokenLifetime", seconds), ("challengeLifetime", seconds), ("answerLifetime", seconds),
        ("pendingLifetime", seconds), ("revocationListLifetime", seconds), ("statusLifetime", seconds),
        ("passwordCost", count), ("requiresIdentityAttestation", flag),
      ])
    ),
  ]
}
