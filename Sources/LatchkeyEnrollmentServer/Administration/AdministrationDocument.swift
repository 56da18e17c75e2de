internal import HTTPTypes
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import LatchkeyProcessEnvironment

/// The OpenAPI 3.1 document of the admin listener.
enum AdministrationDocument {
  static let value: JSONLiteral = [
    "openapi": "3.1.0",
    "info": [
      "title": "Latchkey administration", "version": .string(ProgramVersion.text),
      "description": """
      Administrators list, search, disable, unlock and revoke. Each operation names the lowest role that may do it: viewer, operator or \
      owner. Everything that changes something is in the audit log, with the administrator's name. Errors are problems (RFC 9457).
      """,
    ],
    "security": [["token": []], ["certificate": []]],
    "paths": paths,
    "components": [
      "securitySchemes": [
        "token": [
          "type": "http", "scheme": "bearer", "description": "What latchkey-server admin add printed.",
        ],
        "certificate": [
          "type": "mutualTLS", "description": "A certificate that latchkey-server admin add --certificate has bound.",
        ],
      ],
      "schemas": .members(AdministrationSchemas.all),
    ],
  ]

  private static var paths: JSONLiteral {
    var order: [String] = []
    var methods: [String: [(String, JSONLiteral)]] = [:]
    for operation in AdministrationOperations.all {
      if methods[operation.fullPath] == nil { order.append(operation.fullPath) }
      methods[operation.fullPath, default: []].append((operation.method.rawValue.lowercased(), value(of: operation)))
    }
    return .members(order.map { ($0, .members(methods[$0] ?? [])) })
  }

  private static func value(of operation: AdministrationOperation) -> JSONLiteral {
    var members: [(String, JSONLiteral)] = [
      ("operationId", .string(operation.name)), ("summary", .string(operation.summary)),
      ("description", .string("Role: \(operation.role.rawValue).")),
    ]
    if !operation.parameters.isEmpty {
      members.append(
        (
          "parameters",
          .array(
            operation.parameters.map {
              [
                "name": .string($0.name), "in": "query", "required": .boolean($0.isRequired),
                "description": .string($0.description), "schema": $0.schema,
              ]
            })
        ))
    }
    if let body = operation.body {
      members.append(("requestBody", ["required": true, "content": content(body)]))
    }
    let success: (String, JSONLiteral) =
      operation.answer.map { ("200", ["description": "Done.", "content": content($0)]) }
      ?? ("204", ["description": "Done."])
    members.append(("responses", .members([success] + problems(of: operation))))
    return .members(members)
  }

  private static func problems(of operation: AdministrationOperation) -> [(String, JSONLiteral)] {
    var statuses = [400, 401, 403, 404, 409, 422, 429, 500, 503]
    if operation.body != nil { statuses += [413, 415] }
    return statuses.sorted().map { status in
      (
        "\(status)",
        [
          "description": .string(meanings[status] ?? ""),
          "content": content("Problem", type: ProblemAnswer.mediaType),
        ]
      )
    }
  }

  private static let meanings = [
    400: "The request is not what this document says.", 401: "Who asks is not proven.", 403: "The role is too low.",
    404: "There is no such record.", 409: "It is so already.", 413: "The body is too large.",
    415: "The body is not application/json.", 422: "A value is not as it should be; the detail says which.",
    429: "Too many requests or refusals from this address.", 500: "A fault of the server; its log says more.",
    503: "The server cannot answer now.",
  ]

  private static func content(_ schema: String, type: String = "application/json") -> JSONLiteral {
    let reference: JSONLiteral = ["schema": .reference("schemas/\(schema)")]
    return .members([(type, reference)])
  }
}
