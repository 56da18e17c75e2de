internal import LatchkeyEnrollmentProtocol

extension OpenAPIOperations {
  /// The operations of ACME. RFC 8555 defines the bodies.
  static let acme: [OpenAPIOperation] =
    [
      read(Routes.acmeDirectory, "acmeDirectory", "the URLs of its resources."),
      read(
        Routes.acmeDirectory(label: ACMERoutes.label), "acmeDirectoryByLabel", "the same for devices of a profile.",
        isLabeled: true),
      OpenAPIOperation(
        method: "GET", path: Routes.acmeNonce, name: "acmeNonce", summary: "ACME: a nonce, in Replay-Nonce.",
        proof: .nothing,
        answers: [.init(status: 204, description: "Nothing else.", content: .none, headers: ["Replay-Nonce"])]),
      signed(Routes.acmeDirectory, "acmeDirectorySigned", "the directory, by POST-as-GET."),
      signed(
        Routes.acmeDirectory(label: ACMERoutes.label), "acmeDirectoryByLabelSigned",
        "the directory for devices of a profile, by POST-as-GET.", isLabeled: true),
      OpenAPIOperation(
        method: "POST", path: Routes.acmeNonce, name: "acmeNonceSigned", summary: "ACME: a nonce, by POST-as-GET.",
        proof: .nothing, bytesBody: ACMERequest.mediaType,
        answers: [.init(status: 204, description: "Nothing else.", content: .none, headers: ["Replay-Nonce"])],
        problems: [403]),
      signed(Routes.acmeAccounts, "acmeNewAccount", "the account of a key; nothing is stored.", made: 201),
      signed(Routes.acmeAccount(ACMERoutes.id), "acmeAccount", "an account by its key.", isResource: true),
      signed(
        Routes.acmeOrders, "acmeNewOrder",
        "begins to register a device. Its identifier is of the type permanent-identifier, and a one-time enrollment token.",
        made: 201),
      signed(
        Routes.acmeOrders(label: ACMERoutes.label), "acmeNewOrderByLabel", "the same for a device of a profile.",
        made: 201, isLabeled: true),
      signed(
        Routes.acmeOrder(ACMERoutes.id), "acmeOrder",
        "an order; it is `processing`, with Retry-After, while the device waits for an approval.", isResource: true),
      signed(
        Routes.acmeAuthorization(ACMERoutes.id), "acmeAuthorization", "an order's authorization.", isResource: true),
      signed(
        Routes.acmeChallenge(ACMERoutes.id), "acmeChallenge", "the challenge device-attest-01, or an answer to it.",
        isResource: true),
      signed(
        Routes.acmeFinalization(ACMERoutes.id), "acmeFinalization", "registers the device for its signing request.",
        isResource: true),
      signed(
        Routes.acmeCertificate(ACMERoutes.id), "acmeCertificate", "the device's certificate with its issuers, PEM.",
        type: ACMERoutes.certificateType, isResource: true),
      signed(
        Routes.acmeRevocation, "acmeRevocation",
        "revokes a certificate, for its own key or the account that registered its device.", type: nil),
    ].map { operation in
      var operation = operation
      operation.problemSchema = "ACMEProblem"
      return operation
    }

  private static func read(
    _ path: String, _ name: String, _ summary: String, isLabeled: Bool = false
  ) -> OpenAPIOperation {
    OpenAPIOperation(
      method: "GET", path: path, name: name, summary: "ACME (RFC 8555): \(summary)", proof: .nothing,
      parameters: isLabeled ? ["ESTLabel"] : [],
      answers: [
        .init(status: 200, description: "JSON.", content: .bytes("application/json"), headers: ["Replay-Nonce"])
      ],
      problems: [400] + (isLabeled ? [404] : []))
  }

  /// A request that the account's key signs.
  private static func signed(
    _ path: String, _ name: String, _ summary: String, type: String? = "application/json", made status: Int? = nil,
    isLabeled: Bool = false, isResource: Bool = false
  ) -> OpenAPIOperation {
    let headers = ["Replay-Nonce"] + (status == nil ? [] : ["Location"])
    let content = type.map { OpenAPIOperation.Answer.Content.bytes($0) } ?? .none
    let made = OpenAPIOperation.Answer(
      status: status ?? 200, description: "As RFC 8555 defines it.", content: content, headers: headers)
    let known = OpenAPIOperation.Answer(
      status: 200, description: "The account has orders.", content: content, headers: headers)
    return OpenAPIOperation(
      method: "POST", path: path, name: name, summary: "ACME (RFC 8555): \(summary)", proof: .nothing,
      parameters: (isLabeled ? ["ESTLabel"] : []) + (isResource ? ["ACMEResource"] : []),
      bytesBody: ACMERequest.mediaType, answers: path == Routes.acmeAccounts ? [known, made] : [made],
      problems: [403] + (isLabeled || isResource ? [404] : []))
  }
}
