/// The server's paths. Those of the modern service begin with `/v1`.
public enum Routes {
  /// GET: liveness of the process. No certificate.
  public static let live = "/health/live"
  /// GET: readiness: the store answers and the certificates are valid. No certificate.
  public static let ready = "/health/ready"
  /// GET: Prometheus text.
  public static let metrics = "/metrics"
  /// GET: the OpenAPI document.
  public static let openAPI = "/openapi.json"
  /// GET: the authority's chain, PEM.
  public static let authority = "/v1/ca"
  /// GET: the revocation list, DER.
  public static let revocationList = "/v1/crl"
  /// GET: the revocation list of one of the server's authorities, DER.
  public static func revocationList(_ issuer: String) -> String { "/v1/crl/\(issuer)" }
  /// GET: the certificate of one of the server's authorities, DER.
  public static func issuer(_ issuer: String) -> String { "/v1/ca/\(issuer)" }
  /// POST an OCSP request, DER, or GET it in base64 behind a slash (RFC 6960 A.1): the status of certificates.
  public static let status = "/v1/ocsp"
  /// GET: the authorities' certificates for EST (RFC 7030 4.1).
  public static let estCertificates = "/.well-known/est/cacerts"
  /// GET: what an EST client's signing request should contain (RFC 7030 4.5).
  public static let estAttributes = "/.well-known/est/csrattrs"
  /// POST a signing request (HTTP Basic): registers a device by EST (RFC 7030 4.2.1).
  public static let estEnroll = "/.well-known/est/simpleenroll"
  /// POST a signing request (certificate): renews or changes the key by EST (RFC 7030 4.2.2).
  public static let estReenroll = "/.well-known/est/simplereenroll"
  /// One of the four EST routes for the devices of a profile, whose name is the label (RFC 7030 3.2.2).
  public static func est(_ route: String, label: String) -> String {
    route.replacing("/est/", with: "/est/\(label)/", maxReplacements: 1)
  }
  /// The first component of ACME's paths (RFC 8555).
  package static let acme = "/acme"
  /// GET: the paths of ACME (RFC 8555 7.1.1).
  public static let acmeDirectory = "/acme/directory"
  /// GET: the same for the devices of a profile.
  public static func acmeDirectory(label: String) -> String { "/acme/\(label)/directory" }
  /// HEAD or GET: a nonce for the next request (RFC 8555 7.2).
  public static let acmeNonce = "/acme/new-nonce"
  /// POST: the account of a key (RFC 8555 7.3).
  public static let acmeAccounts = "/acme/new-account"
  /// POST: begins to register a device by an enrollment token (RFC 8555 7.4).
  public static let acmeOrders = "/acme/new-order"
  /// The same for a device of a profile.
  public static func acmeOrders(label: String) -> String { "/acme/\(label)/new-order" }
  /// POST: revokes a certificate (RFC 8555 7.6).
  public static let acmeRevocation = "/acme/revoke-cert"
  /// POST: an account by its key. Four components, so that no profile's name collides.
  public static func acmeAccount(_ id: String) -> String { "/acme/id/account/\(id)" }
  /// POST: an order.
  public static func acmeOrder(_ id: String) -> String { "/acme/id/order/\(id)" }
  /// POST: the authorization of an order.
  public static func acmeAuthorization(_ id: String) -> String { "/acme/id/authorization/\(id)" }
  /// POST: the challenge of an order's authorization, which the attestation answers.
  public static func acmeChallenge(_ id: String) -> String { "/acme/id/challenge/\(id)" }
  /// POST: the signing request of an order.
  public static func acmeFinalization(_ id: String) -> String { "/acme/id/finalization/\(id)" }
  /// POST: the certificate of an order.
  public static func acmeCertificate(_ id: String) -> String { "/acme/id/certificate/\(id)" }
  /// POST ``PasswordLogin``: starts a user's session. No certificate.
  public static let login = "/v1/login"
  /// POST ``ChallengeRequest``: a challenge for a login by key, a step-up or an attestation.
  public static let challenges = "/v1/challenges"
  /// POST ``KeyLogin``: starts a session by a signed challenge. No password; a certificate if the device has one.
  public static let keyLogin = "/v1/login/key"
  /// POST (certificate): starts a session of the device's user, by the certificate alone.
  public static let certificateLogin = "/v1/login/certificate"
  /// POST ``DeviceRegistration`` (a session's token, or a one-time enrollment token): registers a device with a
  /// certificate for its own key.
  public static let devices = "/v1/devices"
  /// GET (certificate): the user's devices that wait for an approval.
  public static let pendingDevices = "/v1/devices/pending"
  /// POST ``DeviceDecision`` (certificate): approves or rejects one of them.
  public static let deviceApproval = "/v1/devices/approval"
  /// POST ``ServerMadeIdentityRequest`` (token): registers a device whose key the server generates and sends as PKCS#12.
  public static let serverMadeIdentities = "/v1/devices/pkcs12"
  /// GET (certificate): the requesting device.
  public static let device = "/v1/device"
  /// POST ``RenewalRequest`` (certificate): issues a new certificate, for the same or a new key; a new key revokes all other
  /// certificates at once.
  public static let renewal = "/v1/device/renewal"
  /// POST ``ExpiredRenewal``: issues a new certificate after the end of the former one, if the server's policy permits. No certificate: the
  /// identity key signs a challenge.
  public static let expiredRenewal = "/v1/device/renewal/expired"
  /// POST (certificate): revokes the requesting device.
  public static let revocation = "/v1/device/revocation"
  /// GET (certificate): the unexpired certificates of the requesting device.
  public static let certificates = "/v1/device/certificates"
  /// POST ``CertificateRevocation`` (certificate): revokes one certificate of the requesting device.
  public static let certificateRevocation = "/v1/device/certificates/revocation"
  /// PUT ``ApprovalKeyRegistration`` (certificate): registers the approval key, with its attestation.
  public static let approvalKey = "/v1/device/approval-key"
  /// GET (certificate): the user's accounts; signed if `Accept-Signature` requests it.
  public static let accounts = "/v1/accounts"
  /// POST ``Transfer`` (certificate, signature, Idempotency-Key): moves money.
  public static let transfers = "/v1/transfers"
}

/// Fields that this service uses besides the standard ones.
public enum HeaderNames {
  /// Draft of the IETF's httpapi group: requests with the same key are retries of one request.
  public static let idempotencyKey = "idempotency-key"
  /// `true` on a repeated answer.
  public static let idempotencyReplayed = "idempotency-replayed"
  /// ``Approval`` of a transfer: base64url of its JSON.
  public static let approval = "latchkey-approval"
}
