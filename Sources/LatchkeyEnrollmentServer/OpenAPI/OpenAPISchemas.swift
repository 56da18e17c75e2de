internal import LatchkeyCertificateAuthority
internal import LatchkeyEnrollmentProtocol

/// The schemas of the core's bodies, one for each type of `LatchkeyEnrollmentProtocol`. A test validates each type's encoding against
/// its schema.
package enum OpenAPISchemas {
  static let all: [(String, JSONLiteral)] =
    requests + answers
    + [
      ("Problem", problem.with([("examples", [OpenAPIExamples.all["Problem"] ?? [:]])])), ("Health", health),
    ] + acme

  package static func object(
    _ properties: [(String, JSONLiteral)], optional: [String] = [], _ description: String
  ) -> JSONLiteral {
    [
      "type": "object", "description": .string(description),
      "required": .array(properties.map(\.0).filter { !optional.contains($0) }.map { .string($0) }),
      "properties": .members(properties),
    ]
  }

  // MARK: Parts

  /// Canonical base64 of RFC 4648 4: padded, without line breaks and leftover bits.
  package static func base64(_ description: String, most: Int? = nil) -> JSONLiteral {
    let value: JSONLiteral = [
      "type": "string", "contentEncoding": "base64",
      "pattern": "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$",
      "description": .string(description),
    ]
    return most.map { value.with([("maxLength", .integer($0))]) } ?? value
  }

  /// Text without control characters; `most` counts characters.
  package static func text(_ description: String, least: Int = 1, most: Int) -> JSONLiteral {
    [
      "type": "string", "minLength": .integer(least), "maxLength": .integer(most),
      "pattern": "^[^\\x00-\\x1f\\x7f-\\x9f]*$",
      "description": .string(description),
    ]
  }

  package static func identifier(_ description: String) -> JSONLiteral {
    ["type": "string", "pattern": "^[0-9a-f]{32}$", "description": .string(description)]
  }

  package static func orNull(_ value: JSONLiteral) -> JSONLiteral {
    ["anyOf": [value, ["type": "null"]]]
  }

  package static let time: JSONLiteral = [
    "type": "integer", "format": "int64", "description": "Seconds since 1970.",
  ]
  private static let lifetime: JSONLiteral = [
    "type": "integer", "minimum": 0, "description": "Seconds until it ends.",
  ]
  /// In base64.
  private static let longestRequest = (CertificateAuthority.longestRequest + 2) / 3 * 4
  private static let digest: JSONLiteral = [
    "type": "string", "contentEncoding": "base64", "pattern": "^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$",
    "description": .string(
      "SHA-256 of what is approved. Of a transfer: of `latchkey-transfer-v1` and a newline, then from, to, amount, currency and "
        + "notes, each as its number of bytes in decimal, a colon, and its UTF-8; with a date of `latchkey-transfer-v2`, and the "
        + "date in decimal as the last of them."),
  ]
  private static let decisionDigest: JSONLiteral = [
    "type": "string", "contentEncoding": "base64", "pattern": "^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$",
    "description": .string(
      "SHA-256 of what is decided: `latchkey-device-approval-v1` and a newline, `approve` or `reject` and a newline, the pending "
        + "device's identifier and a newline, the 32 bytes of its `keyDigest`, and the UTF-8 of its name. With `requestedNames` of "
        + "`latchkey-device-approval-v2`, and behind `keyDigest` these and the name, each as its number of bytes in decimal, a "
        + "colon, and its UTF-8."),
  ]
  private static let passphrase: JSONLiteral = [
    "type": "string", "minLength": 8, "maxLength": 256, "pattern": "^[^\\x00]*$",
    "description": "What the PKCS #12 file is protected with.",
  ]

  // MARK: Bodies that come

  private static let requests: [(String, JSONLiteral)] = [
    (
      "PasswordLogin",
      object(
        [
          ("user", text("The user's name.", most: 128)),
          ("password", text("The user's password, at most 1024 bytes of UTF-8.", most: Passwords.longest)),
        ], "A login with a password.")
    ),
    (
      "ChallengeRequest",
      [
        "description": "Asks for a challenge.",
        "anyOf": [
          object(
            [
              ("purpose", ["type": "string", "enum": ["login", "attestation"]]),
              ("device", orNull(identifier("The device, for a login without a certificate."))),
              ("content", ["type": "null"]),
            ], optional: ["device", "content"], "To log in by the approval key, or to attest one."),
          object(
            [
              ("purpose", ["type": "string", "pattern": "^service-[a-z][a-z0-9]{0,15}$"]),
              ("device", orNull(identifier("The device."))), ("content", digest),
            ], optional: ["device"], "To approve a request to the service that is named."),
          object(
            [
              ("purpose", ["type": "string", "enum": ["renewal"]]), ("device", orNull(identifier("The device."))),
              ("content", digest),
            ], optional: ["device"], "To renew a certificate after its end: the content is of the signing request."),
          object(
            [
              ("purpose", ["type": "string", "enum": ["enrollment"]]), ("device", orNull(identifier("The device."))),
              ("content", decisionDigest),
            ], optional: ["device"], "To approve or reject a new device."),
        ],
      ]
    ),
    (
      "KeyLogin",
      object(
        [
          ("challengeID", identifier("The challenge that is answered.")),
          ("device", identifier("The device whose approval key signed.")),
          (
            "signature",
            base64(
              "ECDSA P-256 with SHA-256 over the challenge's message, X9.62 DER. The message: the text "
                + "`latchkey-challenge-v1`, a newline, the purpose, a newline, the challenge's 32 bytes, and the 32 bytes of the "
                + "content, zeros for none.", most: 128)
          ),
        ], "A login by a key.")
    ),
    (
      "DeviceRegistration",
      object(
        [
          ("name", text("What people call the device: characters that show, no blank at an end.", most: 64)),
          (
            "signingRequest",
            base64("PKCS #10, DER. Only its key and the proof that it is held count.", most: longestRequest)
          ),
          (
            "attestation",
            base64(
              "The attestation object of that key, CBOR; its challenge is SHA-256 of the text "
                + "`latchkey-identity-attestation-v1` and a newline, SHA-256 of the bearer token, and SHA-256 of the "
                + "signing request.", most: 49_152)
          ),
        ], optional: ["attestation"], "A device that made its own key.")
    ),
    (
      "DeviceDecision",
      object(
        [
          ("device", identifier("The device that waits.")),
          ("isApproved", ["type": "boolean", "description": "Whether it is approved; otherwise it is rejected."]),
          ("challengeID", identifier("The challenge of purpose `enrollment` that is answered.")),
          (
            "signature",
            base64(
              "ECDSA P-256 with SHA-256 over the challenge's message, X9.62 DER, by the deciding device's approval key, or by "
                + "its identity key if it has no approval key.", most: 128)
          ),
        ], "The approval or rejection of a new device.")
    ),
    (
      "ServerMadeIdentityRequest",
      object(
        [
          ("name", text("What people call the device: characters that show, no blank at an end.", most: 64)),
          ("passphrase", passphrase),
        ], "A device whose key the server makes.")
    ),
    (
      "RenewalRequest",
      object(
        [("signingRequest", base64("PKCS #10, DER, of the same key or a new one.", most: longestRequest))],
        "Asks for a new certificate.")
    ),
    (
      "ExpiredRenewal",
      object(
        [
          ("device", identifier("The device.")),
          ("challengeID", identifier("The challenge of purpose `renewal` that is answered.")),
          (
            "signature",
            base64(
              "ECDSA P-256 with SHA-256 by the identity key over the challenge's message, X9.62 DER; its content is the SHA-256 of "
                + "the signing request.", most: 128)
          ),
          ("signingRequest", base64("PKCS #10, DER, of the device's identity key.", most: longestRequest)),
        ],
        "Asks for a new certificate after the end of the former one.")
    ),
    (
      "CertificateRevocation",
      object(
        [
          ("serial", ["type": "string", "pattern": "^(?:[0-9a-fA-F]{2}){1,20}$", "description": "Hexadecimal digits."])
        ],
        "Revokes one certificate of the device that asks.")
    ),
    (
      "ApprovalKeyRegistration",
      object(
        [
          ("publicKey", base64("X9.63, 65 bytes.", most: 88)),
          ("challengeID", identifier("The challenge of purpose `attestation` that the statement answers.")),
          (
            "attestation",
            base64(
              "The attestation object, CBOR (`latchkey-software` or `tpm`), of the challenge's 32 bytes.", most: 49_152)
          ),
        ], "The key that approves, with what vouches for it.")
    ),
  ]

  // MARK: Bodies that go

  private static let pendingDevice = object(
    [
      ("device", identifier("The identifier that it will have.")), ("name", ["type": "string"]),
      ("user", ["type": "string"]), ("keyDigest", base64("SHA-256 of its identity key, X9.63.")), ("created", time),
      ("expires", time),
      (
        "requestedNames",
        [
          "type": "array", "items": ["type": "string"],
          "description":
            "The names that it asks for, which its certificate will have: `dns:a.example`, `ip:192.0.2.9`.",
        ]
      ),
    ], "A device that waits for an approval.")

  private static let answers: [(String, JSONLiteral)] = [
    (
      "LoginAnswer",
      object(
        [
          ("token", ["type": "string", "description": "The bearer token. A secret."]), ("expiresIn", lifetime),
          ("user", ["type": "string"]), ("device", identifier("The device, if the login was one's.")),
        ], optional: ["device"], "A session.")
    ),
    (
      "Challenge",
      object(
        [("id", identifier("Its name.")), ("value", base64("32 random bytes.")), ("expiresIn", lifetime)],
        "Good once, for a minute, for one device, purpose and content.")
    ),
    (
      "EnrolledDevice",
      object(
        [
          ("device", identifier("Common name of its certificates, `keyid` of its signatures.")),
          ("user", ["type": "string"]),
          ("certificates", ["type": "array", "minItems": 1, "items": base64("A certificate, DER; leaf first.")]),
          ("notAfter", time), ("serverKey", base64("X9.63 of the key that signs the server's answers.")),
          ("serverKeyID", ["type": "string", "pattern": "^[0-9a-f]{16}$"]),
          ("pkcs12", base64("The PKCS #12 file, where the server made the key.")),
        ], optional: ["pkcs12"], "A registered device.")
    ),
    ("PendingDevice", pendingDevice),
    (
      "PendingDeviceList",
      object(
        [("devices", ["type": "array", "items": .reference("schemas/PendingDevice")])],
        "The user's devices that wait, oldest first.")
    ),
    (
      "CertificateList",
      object(
        [
          (
            "certificates",
            [
              "type": "array",
              "items": object(
                [
                  ("serial", ["type": "string", "pattern": "^[0-9a-f]+$"]), ("notAfter", time), ("revoked", time),
                  ("isShown", ["type": "boolean", "description": "Whether it is the one that was shown."]),
                ], optional: ["revoked"], "A certificate."),
            ]
          )
        ], "The device's certificates that have not reached their end.")
    ),
    (
      "DeviceStatus",
      object(
        [
          ("device", identifier("Its identifier.")), ("name", ["type": "string"]), ("user", ["type": "string"]),
          ("notAfter", time), ("hasApprovalKey", ["type": "boolean"]),
          ("approvalKeyEvidence", ["type": "string", "description": "What vouches for the approval key."]),
        ], optional: ["approvalKeyEvidence"], "The device that asks.")
    ),
  ]

  private static let problem = object(
    [
      ("type", ["type": "string", "pattern": "^urn:latchkey:problem:"]), ("title", ["type": "string"]),
      ("status", ["type": "integer", "minimum": 400, "maximum": 599]),
      ("code", ["type": "string", "enum": .array(Problem.Code.allCases.map { .string($0.rawValue) })]),
      ("detail", ["type": "string", "description": "What to do, for people."]),
      ("instance", identifier("The request's name in the server's log.")), ("serverTime", time),
      ("challenge", .reference("schemas/Challenge")),
    ], optional: ["detail", "instance", "serverTime", "challenge"],
    "RFC 9457. Programs decide by `code`; what is signed for an approval is in `challenge`.")

  private static let health = object(
    [("status", ["type": "string", "enum": ["live", "ready"]])], "The process's state.")
}
