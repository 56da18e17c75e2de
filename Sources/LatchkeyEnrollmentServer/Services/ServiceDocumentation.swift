/// A method of a path, as the OpenAPI document shows it.
public struct ServiceOperation: Sendable {
  /// An answer that is not a refusal.
  public struct Answer: Sendable {
    /// The HTTP status.
    public var status: Int
    /// What it means.
    public var description: String
    /// The name of the schema in ``ServiceDocumentation/schemas``.
    public var schema: String

    /// An answer.
    public init(_ status: Int, _ description: String, schema: String) {
      self.status = status
      self.description = description
      self.schema = schema
    }
  }

  /// A parameter of the query, of a route that reads.
  public struct Parameter: Sendable {
    /// The name: letters, digits, `-` and `_`.
    public var name: String
    /// What it means.
    public var description: String
    /// The JSON schema of its value.
    public var schema: JSONLiteral
    /// Whether a request without it is refused.
    public var isRequired: Bool

    /// A parameter.
    public init(
      _ name: String, _ description: String, schema: JSONLiteral = ["type": "string"], isRequired: Bool = false
    ) {
      self.name = name
      self.description = description
      self.schema = schema
      self.isRequired = isRequired
    }

    var value: JSONLiteral {
      [
        "name": .string(name), "in": "query", "required": .boolean(isRequired), "description": .string(description),
        "schema": schema,
      ]
    }
  }

  /// GET, POST, PUT or DELETE.
  public var method: String
  /// The path, from `/` on: letters, digits, `-` and `/`.
  public var path: String
  /// The operation's name in the document.
  public var name: String
  /// What it does.
  public var summary: String
  /// The parameters of the query; none on a signed route, whose content stands in its body.
  public var parameters: [Parameter]
  /// The name of the body's schema in ``ServiceDocumentation/schemas``; nil for none.
  public var body: String?
  /// Whether it may ask for an approval.
  public var mayNeedApproval: Bool
  /// The answers.
  public var answers: [Answer]
  /// The statuses of its refusals beside those of each route.
  public var problems: [Int]

  /// The method and the path.
  var route: String { "\(method) \(path)" }

  /// An operation.
  public init(
    _ method: String, _ path: String, name: String, summary: String, parameters: [Parameter] = [],
    body: String? = nil, mayNeedApproval: Bool = false, answers: [Answer], problems: [Int] = []
  ) {
    self.method = method
    self.path = path
    self.name = name
    self.summary = summary
    self.parameters = parameters
    self.body = body
    self.mayNeedApproval = mayNeedApproval
    self.answers = answers
    self.problems = problems
  }
}

/// What the OpenAPI document says of a service beside its operations.
public struct ServiceDocumentation: Sendable {
  /// The heading of its operations; nil: the service's name.
  public var tag: String?
  /// What the service is for.
  public var description: String
  /// JSON schemas of its bodies, by name, in order.
  public var schemas: [(name: String, schema: JSONLiteral)]
  /// Examples of bodies, by the name of their schema.
  public var examples: [String: JSONLiteral]

  /// A description.
  public init(
    tag: String? = nil, description: String = "", schemas: [(name: String, schema: JSONLiteral)] = [],
    examples: [String: JSONLiteral] = [:]
  ) {
    self.tag = tag
    self.description = description
    self.schemas = schemas
    self.examples = examples
  }
}

extension ServiceRoute {
  /// The operation as the document has it: with what each route of its kind takes and gives.
  func documented(tag: String) -> OpenAPIOperation {
    let sealed = ["Content-Digest", "Signature-Input", "Signature"]
    let signing = ["IdempotencyKey", "ContentDigest", "SignatureInput", "Signature", "AcceptSignature"]
    return OpenAPIOperation(
      method: operation.method, path: operation.path, name: operation.name,
      summary:
        "\(operation.summary) No token is needed; one that is sent must be a session of this device that counts.",
      proof: .certificateAndTokenIfAny,
      parameters: isSigned ? signing + (operation.mayNeedApproval ? ["Approval"] : []) : ["AcceptSignature"],
      query: operation.parameters.map(\.value), body: operation.body,
      answers: operation.answers.map { answer in
        OpenAPIOperation.Answer(
          status: answer.status,
          description: "\(answer.description) \(isSigned ? "Signed." : "Signed where that is asked for.")",
          content: .json(answer.schema), headers: sealed + (isSigned ? ["Idempotency-Replayed"] : []))
      }, tag: tag, problems: operation.problems + (isSigned ? [409, 422] : operation.parameters.isEmpty ? [] : [400]))
  }
}
