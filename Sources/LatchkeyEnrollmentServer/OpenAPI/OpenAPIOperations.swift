internal import LatchkeyEnrollmentProtocol

/// Every operation of the modern service, by path.
enum OpenAPIOperations {
  private static let sealed = ["Content-Digest", "Signature-Input", "Signature"]

  static let all: [OpenAPIOperation] =
    operational.map { $0.tagged(operationalPaths.contains($0.path) ? "operation" : "authority") }
    + sessions.map { $0.tagged("sessions") } + devices.map { $0.tagged("devices") }
    + est.map { $0.tagged("est") } + acme.map { $0.tagged("acme") }

  /// The paths that may be served on a separate port.
  static let operationalPaths: Set<String> = [Routes.live, Routes.ready, Routes.metrics]

  private static let operational: [OpenAPIOperation] = [
    OpenAPIOperation(
      method: "GET", path: Routes.live, name: "live", summary: "Whether the process answers.", proof: .nothing,
      answers: [.init(status: 200, description: "It does.", content: .json("Health"))]),
    OpenAPIOperation(
      method: "GET", path: Routes.ready, name: "ready",
      summary: "Whether the store answers and the server's certificates count.", proof: .nothing,
      answers: [.init(status: 200, description: "They do.", content: .json("Health"))]),
    OpenAPIOperation(
      method: "GET", path: Routes.metrics, name: "metrics", summary: "What was counted, as Prometheus reads it.",
      proof: .nothing,
      answers: [.init(status: 200, description: "Text format 0.0.4.", content: .bytes("text/plain"))]),
    OpenAPIOperation(
      method: "GET", path: Routes.openAPI, name: "openapi", summary: "This document.", proof: .nothing,
      answers: [.init(status: 200, description: "OpenAPI 3.1.", content: .bytes("application/json"))]),
    OpenAPIOperation(
      method: "GET", path: Routes.authority, name: "authority", summary: "The authority's certificates.",
      proof: .nothing,
      answers: [.init(status: 200, description: "PEM.", content: .bytes("application/x-pem-file"))]),
    OpenAPIOperation(
      method: "GET", path: Routes.revocationList, name: "revocationList",
      summary: "Which certificates were revoked (RFC 5280 5).", proof: .nothing,
      answers: [.init(status: 200, description: "DER.", content: .bytes("application/pkix-crl"))]),
    OpenAPIOperation(
      method: "GET", path: Routes.issuer("{issuer}"), name: "issuer",
      summary: "The certificate of one of the server's authorities: the current, or one before it.", proof: .nothing,
      parameters: ["Issuer"],
      answers: [.init(status: 200, description: "DER.", content: .bytes("application/pkix-cert"))], problems: [404]),
    OpenAPIOperation(
      method: "GET", path: Routes.revocationList("{issuer}"), name: "revocationListOfIssuer",
      summary: "Which certificates of one of the server's authorities were revoked (RFC 5280 5).", proof: .nothing,
      parameters: ["Issuer"],
      answers: [.init(status: 200, description: "DER.", content: .bytes("application/pkix-crl"))], problems: [404]),
    OpenAPIOperation(
      method: "POST", path: Routes.status, name: "status",
      summary:
        "The status of certificates: OCSP (RFC 6960, RFC 5019). A request that cannot be answered gets an OCSP error.",
      proof: .nothing, bytesBody: StatusRoutes.requestType,
      answers: [.init(status: 200, description: "DER.", content: .bytes(StatusRoutes.responseType))]),
    OpenAPIOperation(
      method: "GET", path: Routes.status + "/{request}", name: "statusByPath",
      summary: "The same for a request in the path; the answer to one without a nonce may be cached.", proof: .nothing,
      parameters: ["StatusRequest"],
      answers: [
        .init(status: 200, description: "DER.", content: .bytes(StatusRoutes.responseType)),
        .init(status: 304, description: "The answer that the client has (If-None-Match) counts still.", content: .none),
      ]),
  ]

  private static let est = est { $0 } + est(label: true) { Routes.est($0, label: ESTRoutes.label) }

  /// The operations of EST, without a label or with one.
  private static func est(label isLabeled: Bool = false, _ path: (String) -> String) -> [OpenAPIOperation] {
    let parameters = isLabeled ? ["ESTLabel"] : []
    let (suffix, which) = isLabeled ? ("ByLabel", " of the label's profile") : ("", "")
    let unknown = isLabeled ? [404] : []
    return [
      OpenAPIOperation(
        method: "GET", path: path(Routes.estCertificates), name: "estCertificates" + suffix,
        summary: "EST (RFC 7030): the authorities' certificates.", proof: .nothing, parameters: parameters,
        answers: [.init(status: 200, description: "Base64 of PKCS #7.", content: .bytes(ESTRoutes.certificatesType))],
        problems: unknown),
      OpenAPIOperation(
        method: "GET", path: path(Routes.estAttributes), name: "estAttributes" + suffix,
        summary: """
          EST (RFC 7030): what a signing request\(isLabeled ? " of a device" + which : "") should contain: a key on P-256, signed \
          with SHA-256\(isLabeled ? "; the alternative names that all of its devices have" : "").
          """,
        proof: .nothing, parameters: parameters,
        answers: [.init(status: 200, description: "Base64 of CsrAttrs.", content: .bytes(ESTRoutes.attributesType))],
        problems: unknown),
      OpenAPIOperation(
        method: "POST", path: path(Routes.estEnroll), name: "estEnroll" + suffix,
        summary: """
          EST (RFC 7030): a certificate for a new device\(which), of the user who logs in by HTTP Basic, with a password or a \
          one-time enrollment token in its place; the same request gets the same certificate, while it is valid. The body is \
          base64 of PKCS #10.
          """, proof: .password, parameters: parameters, bytesBody: ESTRoutes.requestType,
        answers: [
          .init(status: 200, description: "Base64 of PKCS #7.", content: .bytes(ESTRoutes.issuedType)),
          .init(
            status: 202, description: "The device waits for an approval; repeat the same request after Retry-After.",
            content: .bytes(ESTRoutes.waitingType), headers: ["Retry-After"]),
        ],
        problems: [422] + unknown),
      OpenAPIOperation(
        method: "POST", path: path(Routes.estReenroll), name: "estReenroll" + suffix,
        summary: """
          EST (RFC 7030): another certificate over the one that is shown, for its key or a new one\(isLabeled ? ", if its device is" + which : ""). The request has the \
          subject and the alternative names of that certificate, or those that the next one will have.
          """, proof: .certificate, parameters: parameters, bytesBody: ESTRoutes.requestType,
        answers: [.init(status: 200, description: "Base64 of PKCS #7.", content: .bytes(ESTRoutes.issuedType))],
        problems: [422] + unknown),
    ]
  }

  private static let session = OpenAPIOperation.Answer(
    status: 200, description: "A session.", content: .json("LoginAnswer"))

  private static let sessions: [OpenAPIOperation] = [
    OpenAPIOperation(
      method: "POST", path: Routes.login, name: "login",
      summary: """
        A session by a password; good to register one device, unless a certificate is shown. Passwords are checked few at a \
        time: the user's devices and the addresses that logged the user in before come first, others have turns by network, \
        address and user. Who would wait for a second gets 429 with Retry-After at once.
        """,
      proof: .certificateIfAny, body: "PasswordLogin", answers: [session]),
    OpenAPIOperation(
      method: "POST", path: Routes.challenges, name: "challenge",
      summary: "A challenge. For purposes other than login and renewal, a certificate is shown.",
      proof: .certificateIfAny,
      body: "ChallengeRequest",
      answers: [.init(status: 200, description: "A challenge.", content: .json("Challenge"))]),
    OpenAPIOperation(
      method: "POST", path: Routes.keyLogin, name: "keyLogin",
      summary: "A session by a challenge that the approval key signed; no password.", proof: .certificateIfAny,
      body: "KeyLogin", answers: [session]),
    OpenAPIOperation(
      method: "POST", path: Routes.certificateLogin, name: "certificateLogin",
      summary: "A session by the certificate alone.", proof: .certificate, answers: [session]),
  ]

  private static let enrolled = "The device, its certificate and the key of the server's answers."

  private static let devices: [OpenAPIOperation] = [
    OpenAPIOperation(
      method: "POST", path: Routes.devices, name: "register",
      summary: """
        Registers a device that made its own key. Once for each token: a session's, or a one-time enrollment token. Where an \
        approval is required, the answer is 202 until it is given; the same request then gets the certificate.
        """, proof: .token,
      parameters: ["IdempotencyKey"], body: "DeviceRegistration",
      answers: [
        .init(
          status: 201, description: enrolled, content: .json("EnrolledDevice"), headers: ["Idempotency-Replayed"]),
        .init(status: 202, description: "It waits for an approval.", content: .json("PendingDevice")),
      ], problems: [403, 422]),
    OpenAPIOperation(
      method: "GET", path: Routes.pendingDevices, name: "pendingDevices",
      summary: "The user's devices that wait for an approval.", proof: .certificate, parameters: ["AcceptSignature"],
      answers: [
        .init(
          status: 200, description: "Signed where that is asked for.", content: .json("PendingDeviceList"),
          headers: sealed)
      ]),
    OpenAPIOperation(
      method: "POST", path: Routes.deviceApproval, name: "decideDevice",
      summary: "Approves or rejects a device of the same user that waits.", proof: .certificate,
      parameters: ["AcceptSignature"], body: "DeviceDecision",
      answers: [
        .init(
          status: 204, description: "It is decided. Signed where that is asked for.", content: .none,
          headers: ["Signature-Input", "Signature"])
      ], problems: [404]),
    OpenAPIOperation(
      method: "POST", path: Routes.serverMadeIdentities, name: "registerServerMade",
      summary: "Registers a device whose key the server makes and sends as PKCS #12. Once for each token.",
      proof: .token, body: "ServerMadeIdentityRequest",
      answers: [.init(status: 201, description: enrolled, content: .json("EnrolledDevice"))], problems: [403, 422]),
    OpenAPIOperation(
      method: "GET", path: Routes.device, name: "device", summary: "What is known of the device that asks.",
      proof: .certificate, parameters: ["AcceptSignature"],
      answers: [
        .init(
          status: 200, description: "Signed where that is asked for.", content: .json("DeviceStatus"), headers: sealed)
      ]),
    OpenAPIOperation(
      method: "POST", path: Routes.renewal, name: "renew",
      summary: "A new certificate, for the same key or a new one; a new one ends all other certificates of the device.",
      proof: .certificate,
      parameters: ["AcceptSignature"], body: "RenewalRequest",
      answers: [
        .init(
          status: 200, description: "Signed where that is asked for.", content: .json("EnrolledDevice"), headers: sealed
        )
      ], problems: [422]),
    OpenAPIOperation(
      method: "POST", path: Routes.expiredRenewal, name: "renewExpired",
      summary: """
        A new certificate for the same key after the end of the former one, for so long as the operator grants. No certificate is shown: \
        the identity key signs a challenge of purpose `renewal`.
        """,
      proof: .nothing, parameters: ["AcceptSignature"], body: "ExpiredRenewal",
      answers: [
        .init(
          status: 200, description: "Signed where that is asked for.", content: .json("EnrolledDevice"), headers: sealed
        )
      ], problems: [401, 403, 422]),
    OpenAPIOperation(
      method: "POST", path: Routes.revocation, name: "revoke", summary: "The end of the device that asks.",
      proof: .certificate, parameters: ["AcceptSignature"],
      answers: [
        .init(
          status: 204, description: "Nothing of the device counts any more. Signed where that is asked for.",
          content: .none, headers: ["Signature-Input", "Signature"])
      ]),
    OpenAPIOperation(
      method: "GET", path: Routes.certificates, name: "certificates",
      summary: "The certificates of the device that asks, but those that have ended by themselves.",
      proof: .certificate, parameters: ["AcceptSignature"],
      answers: [
        .init(
          status: 200, description: "Signed where that is asked for.", content: .json("CertificateList"),
          headers: sealed)
      ]),
    OpenAPIOperation(
      method: "POST", path: Routes.certificateRevocation, name: "revokeCertificate",
      summary: "The end of one certificate of the device that asks; the one that is shown, too.",
      proof: .certificate, parameters: ["AcceptSignature"], body: "CertificateRevocation",
      answers: [
        .init(
          status: 204, description: "It counts no more. Signed where that is asked for.", content: .none,
          headers: ["Signature-Input", "Signature"])
      ], problems: [404]),
    OpenAPIOperation(
      method: "PUT", path: Routes.approvalKey, name: "registerApprovalKey",
      summary: "Registers the key that approves, with its attestation.", proof: .certificate,
      parameters: ["AcceptSignature"], body: "ApprovalKeyRegistration",
      answers: [
        .init(
          status: 200, description: "Signed where that is asked for.", content: .json("DeviceStatus"), headers: sealed)
      ], problems: [422]),
  ]
}
