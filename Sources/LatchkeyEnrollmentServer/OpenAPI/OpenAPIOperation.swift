/// A method of a path: its inputs and all its responses.
package struct OpenAPIOperation: Sendable {
  /// The required authentication.
  package enum Proof: Sendable {
    case nothing, token, certificate, certificateIfAny, password, oldToken
    /// A certificate, and a session's token if one is sent.
    case certificateAndTokenIfAny
  }

  /// The content of a response that is not a problem.
  package struct Answer: Sendable {
    let status: Int
    let description: String
    /// A schema's name, or a media type without one.
    let content: Content
    var headers: [String] = []

    package init(status: Int, description: String, content: Content, headers: [String] = []) {
      self.status = status
      self.description = description
      self.content = content
      self.headers = headers
    }

    package enum Content: Sendable { case json(String), bytes(String), none }
  }

  let method: String
  let path: String
  let name: String
  let summary: String
  let proof: Proof
  /// Names of components.
  var parameters: [String] = []
  /// Parameters of the query.
  var query: [JSONLiteral] = []
  /// The schema of the body.
  var body: String?
  /// The media type of a body with a schema.
  var bodyType = "application/json"
  /// The media type of a body without a schema.
  var bytesBody: String?
  /// The old service's body, whose type is ignored.
  var oldBody: JSONLiteral?
  let answers: [Answer]
  /// The group that it is listed in.
  var tag = ""
  /// The statuses of its problems, in addition to those of every operation.
  var problems: [Int] = []
  /// The schema of its problems.
  var problemSchema = "Problem"
  /// The media type of 400, 401 and 403 responses in the old service, which sends no problems.
  var refusalType: String?

  package init(
    method: String, path: String, name: String, summary: String, proof: Proof, parameters: [String] = [],
    query: [JSONLiteral] = [], body: String? = nil, bodyType: String = "application/json", oldBody: JSONLiteral? = nil,
    bytesBody: String? = nil,
    answers: [Answer], tag: String = "", problems: [Int] = [],
    refusalType: String? = nil
  ) {
    self.method = method
    self.path = path
    self.name = name
    self.summary = summary
    self.proof = proof
    self.parameters = parameters
    self.query = query
    self.body = body
    self.bodyType = bodyType
    self.oldBody = oldBody
    self.bytesBody = bytesBody
    self.answers = answers
    self.tag = tag
    self.problems = problems
    self.refusalType = refusalType
  }

  /// The problem statuses of every operation: another host, too many requests, a server error, no store.
  private static let always = [421, 429, 500, 503]

  /// The problem statuses that follow from the body and the required authentication as well.
  var allProblems: [Int] {
    var all = Set(problems + Self.always)
    if body != nil || bytesBody != nil { all.formUnion([400, 413, 415]) }
    switch proof {
    case .nothing: break
    case .token: all.insert(401)
    case .certificate, .certificateIfAny, .certificateAndTokenIfAny, .password, .oldToken: all.formUnion([401, 403])
    }
    return all.sorted()
  }

  /// - Parameter examples: of bodies, by the name of their schema.
  func value(_ examples: [String: JSONLiteral]) -> JSONLiteral {
    var members: [(String, JSONLiteral)] = [
      ("operationId", .string(name)), ("tags", [.string(tag)]), ("summary", .string(summary)), ("security", security),
    ]
    if !parameters.isEmpty || !query.isEmpty {
      members.append(("parameters", .array(parameters.map { .reference("parameters/\($0)") } + query)))
    }
    if let body {
      let wanted: JSONLiteral = ["required": true, "content": Self.content(body, type: bodyType, examples)]
      members.append(("requestBody", wanted))
    }
    if let bytesBody {
      let anything: JSONLiteral = [:]
      let wanted: JSONLiteral = ["required": true, "content": .members([(bytesBody, anything)])]
      members.append(("requestBody", wanted))
    }
    if let oldBody {
      let wanted: JSONLiteral = ["required": true, "content": ["application/json": ["schema": oldBody]]]
      members.append(("requestBody", wanted))
    }
    let answers =
      answers.map { ("\($0.status)", value(of: $0, examples)) } + allProblems.map { ("\($0)", problem($0, examples)) }
    members.append(("responses", .members(answers)))
    return .members(members)
  }

  private var security: JSONLiteral {
    switch proof {
    case .nothing: []
    case .token: [["token": []]]
    case .certificate: [["certificate": []]]
    case .certificateIfAny: [["certificate": []], [:]]
    case .certificateAndTokenIfAny: [["certificate": []], ["certificate": [], "token": []]]
    case .password: [["password": []]]
    case .oldToken: [["certificate": [], "oldToken": []]]
    }
  }

  private func value(of answer: Answer, _ examples: [String: JSONLiteral]) -> JSONLiteral {
    var members: [(String, JSONLiteral)] = [("description", .string(answer.description))]
    if !answer.headers.isEmpty { members.append(("headers", Self.headers(answer.headers))) }
    switch answer.content {
    case .json(let schema):
      members.append(("content", Self.content(schema, examples)))
    case .bytes(let type):
      let anything: JSONLiteral = [:]
      members.append(("content", .members([(type, anything)])))
    case .none: break
    }
    return .members(members)
  }

  private func problem(_ status: Int, _ examples: [String: JSONLiteral]) -> JSONLiteral {
    var headers: [String] = []
    if status == 401 { headers.append("WWW-Authenticate") }
    if status == 429 || status == 503 { headers.append("Retry-After") }
    var members: [(String, JSONLiteral)] = [("description", .string(Self.meaning(of: status)))]
    if !headers.isEmpty { members.append(("headers", Self.headers(headers))) }
    if let refusalType, [400, 401, 403].contains(status) {
      let anything: JSONLiteral = [:]
      members.append(("content", .members([(refusalType, anything)])))
    } else {
      members.append(("content", Self.content(problemSchema, type: ProblemAnswer.mediaType, examples)))
    }
    return .members(members)
  }

  private static func content(
    _ schema: String, type: String = "application/json", _ examples: [String: JSONLiteral]
  ) -> JSONLiteral {
    let reference: JSONLiteral = ["schema": .reference("schemas/\(schema)")]
    // The example of a problem stands at its schema: it is of one status.
    let example = examples[schema].map { [("example", $0)] } ?? []
    return .members([(type, reference.with(schema == "Problem" ? [] : example))])
  }

  /// The operation in this group.
  package func tagged(_ tag: String) -> OpenAPIOperation {
    var operation = self
    operation.tag = tag
    return operation
  }

  private static func headers(_ names: [String]) -> JSONLiteral {
    .members(names.map { ($0, .reference("headers/\($0)")) })
  }

  private static func meaning(of status: Int) -> String {
    switch status {
    case 400: "The request is not what this document says."
    case 401: "Who asks is not proven, or a certificate is missing."
    case 404: "There is no such thing."
    case 403: "The certificate was revoked, or who asks may not do this."
    case 409: "It was used before, or is being worked on."
    case 413: "The body is too large."
    case 415: "The body has another media type than this document says."
    case 421: "The connection is for another host: connect with the request's as TLS server name."
    case 422: "It cannot be done; the code says why."
    case 429: "Too many requests, or too many wrong passwords from here: Retry-After says when to come again."
    case 503: "The server cannot answer now."
    default: "A fault of the server; its log says more under `instance`."
    }
  }
}
