internal import LatchkeyEnrollmentProtocol
internal import LatchkeyProcessEnvironment

/// The OpenAPI 3.1 document that the server serves about itself. It is built from the same names and paths as the routes, and
/// tests compare it with the router and the types in both directions.
enum OpenAPIDocument {
  /// - Parameters:
  ///   - services: the services beside the core.
  ///   - operational: whether health and metrics are served on the same port.
  static func value(services: [any DeviceService] = [], operational: Bool = true) -> JSONLiteral {
    [
      "openapi": "3.1.0",
      "info": [
        "title": "Latchkey enrollment", "version": .string(ProgramVersion.text),
        "description": .string(
          """
          Devices enroll, keep their certificates, and ask services. Certificates are shown in the TLS handshake; \
          each request is asked anew whether they count. Errors are problems (RFC 9457). JSON is read strictly: UTF-8, no \
          member twice, no U+0000; members that are not known are passed over. Answers to signed requests \
          are signed, bound to their request (RFC 9421); those to others where Accept-Signature asks for it.
          """),
      ],
      "externalDocs": [
        "description": .string(
          """
          The page EnrollmentProtocol of the reference that `make docs` builds: what signatures cover, their tags and nonces, what an \
          approval signs, attestations, idempotency, limits, with examples to the byte. The page AccountsAndTransfers is beside it.
          """),
        "url": "/documentation/latchkeyenrollmentserver/enrollmentprotocol",
      ],
      "tags": tags(services, operational: operational),
      "paths": paths(of: operations(services: services, operational: operational), examples(services)),
      "components": [
        "securitySchemes": [
          "certificate": [
            "type": "mutualTLS",
            "description": .string(
              """
              The certificate of an enrolled device, shown in the handshake. Whether it counts is decided at each request. The server \
              asks every client for one, and takes connections without.
              """),
          ],
          "token": [
            "type": "http", "scheme": "bearer",
            "description": .string(
              """
              The token of a session, opaque. One that a password opened without a certificate registers one device; one of a device \
              counts over its certificate alone.
              """),
          ],
          "password": [
            "type": "http", "scheme": "basic",
            "description": "A user's name and password, for EST and the old service.",
          ],
          "oldToken": [
            "type": "apiKey", "in": "header", "name": .string(LegacyEnrollment.tokenHeader),
            "description": "The old service's token; in a transfer also in the payload.",
          ],
        ],
        "parameters": parameters, "headers": headers,
        "schemas": .members(
          OpenAPISchemas.all + services.flatMap { $0.documentation.schemas.map { ($0.name, $0.schema) } }),
      ],
    ]
  }

  /// The operations that are served.
  static func operations(services: [any DeviceService] = [], operational: Bool = true) -> [OpenAPIOperation] {
    OpenAPIOperations.all.filter { operational || !OpenAPIOperations.operationalPaths.contains($0.path) }
      + services.flatMap { service in
        service.routes.map { $0.documented(tag: tag(of: service)) }
          + ((service as? any RoutedService)?.operations ?? [])
      }
  }

  /// The groups of the operations that are served.
  private static func tags(_ services: [any DeviceService], operational: Bool) -> JSONLiteral {
    var meanings = [
      "operation": "Health and metrics.", "authority": "What the authority publishes, and this document.",
      "sessions": "Logins and challenges.", "devices": "Devices, their certificates and approval keys.",
      "est": "Enrollment over Secure Transport (RFC 7030).",
      "acme":
        """
      ACME (RFC 8555) with the challenge device-attest-01. Requests are flattened JWS: `contentSchema` is the schema of what their \
      members have in base64url. Its problems have the types of RFC 8555 6.7, and no code.
      """,
      "old service": "The old service, which is not secure.",
    ]
    for service in services { meanings[tag(of: service)] = service.documentation.description }
    var names: [String] = []
    for operation in operations(services: services, operational: operational) where !names.contains(operation.tag) {
      names.append(operation.tag)
    }
    return .array(names.map { ["name": .string($0), "description": .string(meanings[$0] ?? "")] })
  }

  private static func tag(of service: any DeviceService) -> String { service.documentation.tag ?? service.name }

  private static func examples(_ services: [any DeviceService]) -> [String: JSONLiteral] {
    services.reduce(OpenAPIExamples.all) { all, service in
      all.merging(service.documentation.examples) { core, _ in core }
    }
  }

  private static func paths(of operations: [OpenAPIOperation], _ examples: [String: JSONLiteral]) -> JSONLiteral {
    var order: [String] = []
    var methods: [String: [(String, JSONLiteral)]] = [:]
    for operation in operations {
      if methods[operation.path] == nil { order.append(operation.path) }
      methods[operation.path, default: []].append((operation.method.lowercased(), operation.value(examples)))
    }
    return .members(order.map { ($0, .members(methods[$0] ?? [])) })
  }

  private static func field(
    _ name: String, isRequired: Bool, _ description: String, pattern: String
  ) -> JSONLiteral {
    [
      "name": .string(name), "in": "header", "required": .boolean(isRequired), "description": .string(description),
      "schema": ["type": "string", "pattern": .string(pattern)],
    ]
  }

  private static let parameters: JSONLiteral = [
    "Issuer": [
      "name": "issuer", "in": "path", "required": true, "schema": ["type": "string", "pattern": "^[0-9a-f]{2,64}$"],
      "description":
        "The key identifier of an authority of this server, in hexadecimal digits, as in its certificates.",
    ],
    "ESTLabel": [
      "name": "label", "in": "path", "required": true, "schema": ["type": "string", "pattern": "^[a-z0-9-]{1,64}$"],
      "description": "The name of a profile of devices (RFC 7030 3.2.2).",
    ],
    "ACMEResource": [
      "name": "id", "in": "path", "required": true, "schema": ["type": "string", "pattern": "^[A-Za-z0-9_-]{43,44}$"],
      "description": "Of an account or an order: clients take whole URLs from answers.",
    ],
    "StatusRequest": [
      "name": "request", "in": "path", "required": true, "schema": ["type": "string", "minLength": 1],
      "description": "An OCSP request: base64 of its DER, which may be escaped.",
    ],
    "OldRegister": [
      "name": "register", "in": "query", "required": false, "schema": ["type": "string", "enum": ["true", "false"]],
      "description": "Whether to register a device.",
    ],
    "OldPIN": [
      "name": "pin", "in": "query", "required": false, "schema": ["type": "string", "minLength": 1],
      "description": "The passphrase; for a login by certificate, base64 of it under AES with a vector of zeros.",
    ],
    "IdempotencyKey": field(
      HeaderNames.idempotencyKey, isRequired: true,
      """
      What makes a request the same request: drawn once, sent with each try, with or without double quotes. The answer is kept by \
      user and key, a registration's while its certificate is valid, others for 48 hours. Another request under it gets 422.
      """,
      pattern: "^(?:[A-Za-z0-9_-]{16,128}|\"[A-Za-z0-9_-]{16,128}\")$"
    ).with([("example", "example-request-1")]),
    "ContentDigest": field(
      "content-digest", isRequired: true, "RFC 9530: SHA-256 of the body's bytes.",
      pattern: "^sha-256=:[A-Za-z0-9+/]{43}=:$"),
    "SignatureInput": field(
      "signature-input", isRequired: true,
      """
      RFC 9421, by the device's identity key. One signature has the tag latchkey-request, created, expires at most 300 s later, a \
      fresh nonce of 22 to 128 characters of base64url, the device's identifier as keyid, and alg ecdsa-p256-sha256. It covers \
      "@method" "@target-uri" "content-digest" "content-type" "idempotency-key", and "latchkey-approval" if that field is sent.
      """,
      pattern: "^[\\x20-\\x7e]{1,2048}$"),
    "Signature": field(
      "signature", isRequired: true, "RFC 9421: r and s, 32 bytes each.", pattern: "^[\\x20-\\x7e]{1,1024}$"),
    "AcceptSignature": [
      "name": "accept-signature", "in": "header", "required": false, "schema": ["type": "string"],
      "description": .string(
        """
        RFC 9421 5.1: asks for a signed answer, by a member with the tag latchkey-response and a nonce of 22 to 128 characters of \
        base64url, which the answer's signature repeats. Any other preference is ignored. Answers to signed requests are signed \
        without it.
        """),
    ],
    "Approval": field(
      HeaderNames.approval, isRequired: false,
      "base64url of JSON: `challengeID`, and `signature` of the approval key over the challenge's message, as in KeyLogin.",
      pattern: "^[A-Za-z0-9_-]{1,1024}$"),
  ]

  private static func header(_ description: String, _ schema: JSONLiteral = ["type": "string"]) -> JSONLiteral {
    ["description": .string(description), "schema": schema]
  }

  private static let headers: JSONLiteral = [
    "Content-Digest": header("RFC 9530, SHA-256 of the body."),
    "Signature-Input": header(
      """
      RFC 9421, tag latchkey-response: covers "@status", "content-digest" (but in a 204), "content-type", "idempotency-replayed" and \
      "retry-after" where they are, "@method";req, "@target-uri";req, and of the request "content-digest";req and "signature";req \
      where it has them.
      """),
    "Signature": header("RFC 9421, ecdsa-p256-sha256 by the key serverKey, whose keyid is serverKeyID."),
    "Idempotency-Replayed": header("`true` on an answer that was given before.", ["type": "string", "enum": ["true"]]),
    "Replay-Nonce": header("The nonce for the next request (RFC 8555 6.5.1)."),
    "Link": header("The directory (`rel=\"index\"`), and of a challenge its authorization (`rel=\"up\"`)."),
    "Location": header("The URL of what was made or is meant."),
    "Retry-After": header("Seconds.", ["type": "integer", "minimum": 1]),
    "WWW-Authenticate": header("RFC 9110 11.6.1."),
  ]
}
