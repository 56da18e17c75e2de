internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentServer

/// The old service in the OpenAPI document.
enum LegacyDocument {
  /// The operations of the old service (Examples/002-sealed-transfer), if it is served: it defines its own bodies, whatever a
  /// field says of their type.
  static let all: [OpenAPIOperation] = old.map { $0.tagged("old service") }

  private static let old: [OpenAPIOperation] = [
    OpenAPIOperation(
      method: "POST", path: LegacyEnrollment.authenticate, name: "oldLogin",
      summary: "A token by a password; with register=true a certificate, too, in PKCS #12 under the pin.",
      proof: .password, parameters: ["OldRegister", "OldPIN"], answers: [oldAnswer("Token, and base64 of the file.")],
      problems: [400, 413], refusalType: "text/html"),
    OpenAPIOperation(
      method: "POST", path: LegacyEnrollment.authenticateCertificate, name: "oldCertificateLogin",
      summary: "A token by the certificate and its pin.", proof: .certificate, parameters: ["OldPIN"],
      answers: [oldAnswer("Token.")], problems: [413], refusalType: "text/html"),
    OpenAPIOperation(
      method: "GET", path: LegacyEnrollment.accounts, name: "oldAccounts", summary: "The accounts in the old envelope.",
      proof: .oldToken, answers: [oldAnswer("Vector, MAC and payload.")], refusalType: "text/html"),
    OpenAPIOperation(
      method: "POST", path: LegacyEnrollment.transferFunds, name: "oldTransfer",
      summary: "A transfer in the old envelope. The body's type is not looked at.", proof: .oldToken,
      oldBody: oldEnvelope, answers: [oldAnswer("Nothing.")], problems: [400, 413],
      refusalType: "text/html"),
  ]

  private static func oldAnswer(_ description: String) -> OpenAPIOperation.Answer {
    OpenAPIOperation.Answer(status: 200, description: description, content: .bytes("text/html"))
  }

  /// The old service's envelope, which no other operation uses.
  static let oldEnvelope = OpenAPISchemas.object(
    [
      ("iv", OpenAPISchemas.base64("The vector, 16 bytes.", most: 24)),
      (
        "mac", ["type": "string", "pattern": "^[0-9a-f]{64}$", "description": "HMAC-SHA256 of the transfer's members."]
      ),
      ("payload", OpenAPISchemas.base64("The transfer, AES-256-CBC of JSON.")),
      ("token", ["type": "string", "description": "The session's token, where it is not in the field. A secret."]),
    ], optional: ["token"], "A sealed transfer.")
}
