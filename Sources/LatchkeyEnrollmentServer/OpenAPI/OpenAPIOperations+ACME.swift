internal import LatchkeyEnrollmentProtocol

extension OpenAPIOperations {
  /// The operations of ACME.
  static let acme: [OpenAPIOperation] =
    [
      read(Routes.acmeDirectory, "acmeDirectory", "the URLs of its resources."),
      read(
        Routes.acmeDirectory(label: ACMERoutes.label), "acmeDirectoryByLabel", "the same for devices of a profile.",
        isLabeled: true),
      OpenAPIOperation(
        method: "GET", path: Routes.acmeNonce, name: "acmeNonce",
        summary: "ACME (RFC 8555): a nonce, in Replay-Nonce; HEAD gets it with 200.", proof: .nothing,
        answers: [nonce]),
      signed(
        Routes.acmeDirectory, "acmeDirectorySigned", "the directory, by POST-as-GET.", answer: .json("ACMEDirectory"),
        headers: []),
      signed(
        Routes.acmeDirectory(label: ACMERoutes.label), "acmeDirectoryByLabelSigned",
        "the directory for devices of a profile, by POST-as-GET.", answer: .json("ACMEDirectory"), headers: [],
        isLabeled: true),
      OpenAPIOperation(
        method: "POST", path: Routes.acmeNonce, name: "acmeNonceSigned",
        summary: "ACME (RFC 8555): a nonce, by POST-as-GET.", proof: .nothing, body: "ACMERead",
        bodyType: ACMERequest.mediaType, answers: [nonce], problems: [403]),
      signed(
        Routes.acmeAccounts, "acmeNewAccount", "the account of a key; nothing is stored.",
        body: "ACMENewAccountRequest", answer: .json("ACMEAccount"), made: 201, headers: ["Link", "Location"]),
      signed(
        Routes.acmeAccount(ACMERoutes.id), "acmeAccount", "an account by its key.", answer: .json("ACMEAccount"),
        headers: ["Link", "Location"], isResource: true),
      signed(
        Routes.acmeOrders, "acmeNewOrder", "begins to register the device of a one-time enrollment token.",
        body: "ACMENewOrderRequest", answer: .json("ACMEOrder"), made: 201, headers: ["Link", "Location"]),
      signed(
        Routes.acmeOrders(label: ACMERoutes.label), "acmeNewOrderByLabel", "the same for a device of a profile.",
        body: "ACMENewOrderRequest", answer: .json("ACMEOrder"), made: 201, headers: ["Link", "Location"],
        isLabeled: true),
      signed(
        Routes.acmeOrder(ACMERoutes.id), "acmeOrder",
        "an order; it is `processing`, with Retry-After, while the device waits for an approval.",
        answer: .json("ACMEOrder"), headers: waiting, isResource: true),
      signed(
        Routes.acmeAuthorization(ACMERoutes.id), "acmeAuthorization", "an order's authorization.",
        answer: .json("ACMEAuthorization"), isResource: true),
      signed(
        Routes.acmeChallenge(ACMERoutes.id), "acmeChallenge", "the challenge device-attest-01, or an answer to it.",
        body: "ACMEChallengeRequest", answer: .json("ACMEChallenge"), isResource: true),
      signed(
        Routes.acmeFinalization(ACMERoutes.id), "acmeFinalization", "registers the device for its signing request.",
        body: "ACMEFinalizationRequest", answer: .json("ACMEOrder"), headers: waiting, isResource: true),
      signed(
        Routes.acmeCertificate(ACMERoutes.id), "acmeCertificate", "the device's certificate with its issuers, PEM.",
        answer: .bytes(ACMERoutes.certificateType), isResource: true),
      signed(
        Routes.acmeRevocation, "acmeRevocation",
        "revokes a certificate, for its own key or the account that registered its device.",
        body: "ACMERevocationRequest", answer: .none),
    ].map { operation in
      var operation = operation
      operation.problemSchema = "ACMEProblem"
      return operation
    }

  /// The fields of an order that may be `processing`.
  private static let waiting = ["Link", "Location", "Retry-After"]

  private static let nonce = OpenAPIOperation.Answer(
    status: 204, description: "Nothing else.", content: .none, headers: ["Replay-Nonce", "Link"])

  private static func read(
    _ path: String, _ name: String, _ summary: String, isLabeled: Bool = false
  ) -> OpenAPIOperation {
    OpenAPIOperation(
      method: "GET", path: path, name: name, summary: "ACME (RFC 8555): \(summary)", proof: .nothing,
      parameters: isLabeled ? ["ESTLabel"] : [],
      answers: [
        .init(status: 200, description: "The directory.", content: .json("ACMEDirectory"), headers: ["Replay-Nonce"])
      ],
      problems: [400] + (isLabeled ? [404] : []))
  }

  /// A request that the account's key signs.
  ///
  /// - Parameters:
  ///   - body: the schema of the request.
  ///   - status: of the answer that something was made.
  ///   - headers: of the answer, in addition to the nonce.
  private static func signed(
    _ path: String, _ name: String, _ summary: String, body: String = "ACMERead",
    answer content: OpenAPIOperation.Answer.Content, made status: Int? = nil, headers: [String] = ["Link"],
    isLabeled: Bool = false, isResource: Bool = false
  ) -> OpenAPIOperation {
    let made = OpenAPIOperation.Answer(
      status: status ?? 200, description: "As RFC 8555 defines it.", content: content,
      headers: ["Replay-Nonce"] + headers)
    let known = OpenAPIOperation.Answer(
      status: 200, description: "The account has orders.", content: content, headers: ["Replay-Nonce"] + headers)
    return OpenAPIOperation(
      method: "POST", path: path, name: name, summary: "ACME (RFC 8555): \(summary)", proof: .nothing,
      parameters: (isLabeled ? ["ESTLabel"] : []) + (isResource ? ["ACMEResource"] : []), body: body,
      bodyType: ACMERequest.mediaType, answers: path == Routes.acmeAccounts ? [known, made] : [made],
      problems: [403] + (isLabeled || isResource ? [404] : []))
  }
}
