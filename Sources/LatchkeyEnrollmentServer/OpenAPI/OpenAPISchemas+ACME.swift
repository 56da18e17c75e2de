internal import LatchkeyEnrollmentProtocol

/// The schemas of ACME's bodies (RFC 8555). Requests are flattened JSON Web Signatures, whose protected header and payload are JSON in
/// base64url: `contentSchema` is their schema (JSON Schema 2020-12, Validation 8.5). A test compares a client's requests and the server's
/// answers with them.
extension OpenAPISchemas {
  static let acme: [(String, JSONLiteral)] =
    acmeRequests + acmeHeaders + acmePayloads + acmeAnswers + [("ACMEProblem", acmeProblem)]

  // MARK: Requests

  private static let acmeRequests: [(String, JSONLiteral)] = [
    ("ACMERead", signed([accountHeader], [nothing], "POST-as-GET: reads a resource.")),
    ("ACMENewAccountRequest", signed([keyHeader], [json("ACMENewAccount")], "Asks for the account of a key.")),
    ("ACMENewOrderRequest", signed([accountHeader], [json("ACMENewOrder")], "Begins to register a device.")),
    (
      "ACMEChallengeRequest",
      signed([accountHeader], [nothing, json("ACMEAttestation")], "Reads a challenge, or answers it.")
    ),
    ("ACMEFinalizationRequest", signed([accountHeader], [json("ACMESigningRequest")], "Registers the device.")),
    (
      "ACMERevocationRequest",
      signed(
        [accountHeader, keyHeader], [json("ACMERevocation")],
        "Revokes a certificate: by the account whose order it is, or by the certificate's own key as `jwk`.")
    ),
  ]

  private static let accountHeader = json("ACMEAccountHeader")
  private static let keyHeader = json("ACMEKeyHeader")

  /// The payload of POST-as-GET (RFC 8555 6.3).
  private static let nothing: JSONLiteral = ["type": "string", "maxLength": 0, "description": "Empty."]

  /// A JSON object in base64url.
  private static func json(_ schema: String) -> JSONLiteral {
    [
      "type": "string", "minLength": 3, "pattern": .string(base64URLPattern), "contentEncoding": "base64url",
      "contentMediaType": "application/json", "contentSchema": .reference("schemas/\(schema)"),
    ]
  }

  /// A flattened JWS (RFC 7515 7.2.2).
  ///
  /// - Parameters:
  ///   - headers: the forms of the protected header.
  ///   - payloads: the forms of the payload.
  private static func signed(
    _ headers: [JSONLiteral], _ payloads: [JSONLiteral], _ description: String
  ) -> JSONLiteral {
    object(
      [
        ("protected", anyOf(headers)), ("payload", anyOf(payloads)),
        (
          "signature",
          [
            "type": "string", "pattern": "^[A-Za-z0-9_-]{85}[AQgw]$", "contentEncoding": "base64url",
            "description": .string(
              "ES256 (RFC 7518 3.4) over the texts `protected` and `payload` with a period between them: r and s, 32 bytes each."
            ),
          ]
        ),
      ], "A flattened JWS (RFC 8555 6.2) of at most \(JSONWebSignature.longest) bytes. \(description)"
    ).with([("additionalProperties", false)])
  }

  private static func anyOf(_ forms: [JSONLiteral]) -> JSONLiteral {
    forms.count == 1 ? forms[0] : ["anyOf": .array(forms)]
  }

  private static let acmeHeaders: [(String, JSONLiteral)] = [
    (
      "ACMEAccountHeader",
      header(
        ("kid", url("The account's URL: `Location` of the answer to its newAccount.")),
        "The protected header of an account's request.")
    ),
    (
      "ACMEKeyHeader",
      header(("jwk", .reference("schemas/ACMEKey")), "The protected header of a request that has the key itself.")
    ),
    (
      "ACMEKey",
      object(
        [
          ("kty", ["type": "string", "enum": ["EC"]]), ("crv", ["type": "string", "enum": ["P-256"]]),
          ("x", bytes32("The point's x, big-endian.")), ("y", bytes32("The point's y, big-endian.")),
        ], "A public key as a JSON Web Key (RFC 7518 6.2). It must not have `d`.")
    ),
  ]

  private static func header(_ signer: (String, JSONLiteral), _ description: String) -> JSONLiteral {
    object(
      [
        ("alg", ["type": "string", "enum": ["ES256"]]),
        (
          "nonce",
          [
            "type": "string", "pattern": .string(base64URLPattern),
            "description":
              "`Replay-Nonce` of an earlier answer, or of newNonce. It lasts an hour, and counts once for orders and revocations.",
          ]
        ),
        ("url", url("The request's own URL, as it is sent, with the host that the client calls.")), signer,
      ], description + " Either `kid` or `jwk`, and no `crit` and `b64`; other members are ignored.")
  }

  // MARK: Payloads

  private static let acmePayloads: [(String, JSONLiteral)] = [
    (
      "ACMENewAccount",
      object(
        [
          (
            "onlyReturnExisting",
            ["type": "boolean", "description": "Whether an account without an order is refused as unknown."]
          )
        ], optional: ["onlyReturnExisting"], "An account is its key. Other members, such as `contact`, are ignored.")
    ),
    (
      "ACMENewOrder",
      object(
        [("identifiers", one(.reference("schemas/ACMEIdentifier")))],
        "The device's order. The profile decides on the lifetime: `notBefore` and `notAfter` are refused.")
    ),
    (
      "ACMEIdentifier",
      object(
        [
          ("type", ["type": "string", "enum": [.string(ACMEOrders.identifierType)]]),
          (
            "value",
            [
              "type": "string", "pattern": .string("^\(EnrollmentToken.prefix)[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$"),
              "description": "A one-time enrollment token. A secret.",
            ]
          ),
        ], "What an order is for.")
    ),
    (
      "ACMEAttestation",
      object(
        [
          (
            "attObj",
            base64URL(
              "The attestation object, CBOR (WebAuthn level 2, 6.5.4), of the format `tpm`, `apple` or `latchkey-software`. Its "
                + "challenge is the key authorization (RFC 8555 8.1): the token, a period, and the account key's thumbprint; of "
                + "`apple` it is the token alone.")
          )
        ], "The answer to the challenge device-attest-01.")
    ),
    (
      "ACMESigningRequest",
      object([("csr", base64URL("PKCS #10, DER, of the attested key."))], "What the certificate is issued for.")
    ),
    (
      "ACMERevocation",
      object(
        [
          ("certificate", base64URL("The certificate, DER.")),
          (
            "reason",
            [
              "type": "integer", "enum": [0, 1, 3, 5, 9],
              "description": "RFC 5280 5.3.1; 0, which is the default, for none.",
            ]
          ),
        ], optional: ["reason"], "The certificate to revoke.")
    ),
  ]

  // MARK: Answers

  private static let acmeAnswers: [(String, JSONLiteral)] = [
    (
      "ACMEDirectory",
      object(
        [
          ("newNonce", url("Gives a nonce.")), ("newAccount", url("Takes ACMENewAccountRequest.")),
          ("newOrder", url("Takes ACMENewOrderRequest.")), ("revokeCert", url("Takes ACMERevocationRequest.")),
        ], "The URLs to begin with (RFC 8555 7.1.1).")
    ),
    (
      "ACMEAccount",
      object([("status", state(["valid"]))], "An account (RFC 8555 7.1.2); its URL is in `Location`.")
    ),
    (
      "ACMEOrder",
      object(
        [
          ("status", state(["pending", "ready", "processing", "valid", "invalid"])), ("expires", date),
          ("identifiers", one(.reference("schemas/ACMEIdentifier"))),
          ("authorizations", one(url("The authorization: ACMERead of it has the challenge."))),
          ("finalize", url("Takes ACMEFinalizationRequest, once the order is `ready`.")),
          ("certificate", url("The certificate, once the order is `valid`.")),
          ("error", .reference("schemas/ACMEProblem")),
        ], optional: ["certificate", "error"], "An order (RFC 8555 7.1.3); its URL is in `Location`.")
    ),
    (
      "ACMEAuthorization",
      object(
        [
          ("status", state(["pending", "valid", "invalid"])), ("expires", date),
          ("identifier", .reference("schemas/ACMEIdentifier")),
          ("challenges", one(.reference("schemas/ACMEChallenge"))),
        ], "An authorization (RFC 8555 7.1.4).")
    ),
    (
      "ACMEChallenge",
      object(
        [
          ("type", ["type": "string", "enum": ["device-attest-01"]]), ("url", url("Takes ACMEChallengeRequest.")),
          ("status", state(["pending", "valid", "invalid"])),
          ("token", bytes32("What the attestation's challenge begins with.")), ("validated", date),
          ("error", .reference("schemas/ACMEProblem")),
        ], optional: ["validated", "error"], "A challenge (RFC 8555 7.1.5).")
    ),
  ]

  private static let acmeProblem = object(
    [
      (
        "type",
        [
          "type": "string",
          "enum": .array(ACMEProblem.Kind.allCases.map { .string(ACMEProblem.type(of: $0)) }),
        ]
      ),
      ("status", ["type": "integer", "minimum": 400, "maximum": 599]),
      ("detail", ["type": "string", "description": "What to do, for people."]),
      ("algorithms", ["type": "array", "items": ["type": "string"], "description": "Those that are accepted."]),
    ], optional: ["detail", "algorithms"], "A problem of ACME (RFC 8555 6.7). Programs decide by `type`.")

  // MARK: Parts

  private static let base64URLPattern =
    "^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-][AQgw]|[A-Za-z0-9_-]{2}[AEIMQUYcgkosw048])?$"

  /// base64url without padding and leftover bits.
  private static func base64URL(_ description: String) -> JSONLiteral {
    [
      "type": "string", "contentEncoding": "base64url", "pattern": .string(base64URLPattern),
      "description": .string(description),
    ]
  }

  private static func bytes32(_ description: String) -> JSONLiteral {
    [
      "type": "string", "contentEncoding": "base64url", "pattern": "^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$",
      "description": .string("32 bytes. " + description),
    ]
  }

  private static func url(_ description: String) -> JSONLiteral {
    ["type": "string", "format": "uri", "description": .string(description)]
  }

  private static func one(_ item: JSONLiteral) -> JSONLiteral {
    ["type": "array", "minItems": 1, "maxItems": 1, "items": item]
  }

  private static func state(_ names: [JSONLiteral]) -> JSONLiteral { ["type": "string", "enum": .array(names)] }

  private static let date: JSONLiteral = ["type": "string", "format": "date-time", "description": "RFC 3339."]
}
