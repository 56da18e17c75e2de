/// Where each thing is on the server. Paths of the modern service begin with `/v1`.
public enum Routes {
  /// GET: the process answers. No certificate.
  public static let live = "/health/live"
  /// GET: the store answers and the certificates are good. No certificate.
  public static let ready = "/health/ready"
  /// GET: Prometheus text.
  public static let metrics = "/metrics"
  /// GET: the OpenAPI document.
  public static let openAPI = "/openapi.json"
  /// GET: the authority's chain, PEM.
  public static let authority = "/v1/ca"
  /// GET: the revocation list, DER.
  public static let revocationList = "/v1/crl"
  /// POST ``PasswordLogin``: a session of a user. No certificate.
  public static let login = "/v1/login"
  /// POST ``ChallengeRequest``: a challenge for a login by key, a step-up or an attestation.
  public static let challenges = "/v1/challenges"
  /// POST ``KeyLogin``: a session by a signed challenge. No password; a certificate where the device has one.
  public static let keyLogin = "/v1/login/key"
  /// POST (certificate): a session of the device's user, by the certificate alone.
  public static let certificateLogin = "/v1/login/certificate"
  /// POST ``DeviceRegistration`` (token): a device with a certificate for its own key.
  public static let devices = "/v1/devices"
  /// POST ``ServerMadeIdentityRequest`` (token): a device whose key the server makes and sends as PKCS#12.
  public static let serverMadeIdentities = "/v1/devices/pkcs12"
  /// GET (certificate): the device that asks.
  public static let device = "/v1/device"
  /// POST ``RenewalRequest`` (certificate): a new certificate, for the same or a new key; a new key ends all others at once.
  public static let renewal = "/v1/device/renewal"
  /// POST (certificate): the end of the device that asks.
  public static let revocation = "/v1/device/revocation"
  /// GET (certificate): the certificates of the device that asks, as far as they have not ended by themselves.
  public static let certificates = "/v1/device/certificates"
  /// POST ``CertificateRevocation`` (certificate): the end of one certificate of the device that asks.
  public static let certificateRevocation = "/v1/device/certificates/revocation"
  /// PUT ``ApprovalKeyRegistration`` (certificate): the key that approves, with its attestation.
  public static let approvalKey = "/v1/device/approval-key"
  /// GET (certificate): the user's accounts; signed where `Accept-Signature` asks for it.
  public static let accounts = "/v1/accounts"
  /// POST ``Transfer`` (certificate, signature, Idempotency-Key): moves money.
  public static let transfers = "/v1/transfers"
}

/// Fields that this service reads and writes beside the standard ones.
public enum HeaderNames {
  /// Draft of the IETF's httpapi group: what makes a request the same request.
  public static let idempotencyKey = "idempotency-key"
  /// `true` on an answer that was given before.
  public static let idempotencyReplayed = "idempotency-replayed"
  /// ``Approval`` of a transfer: base64url of its JSON.
  public static let approval = "latchkey-approval"
}
