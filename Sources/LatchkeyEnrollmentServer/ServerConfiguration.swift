public import Foundation
public import LatchkeyAttestation
import LatchkeyByteCoding
public import LatchkeyCertificateAuthority
public import LatchkeyEnrollmentStore
public import LatchkeySealedMessages
public import Logging

/// The configuration of a server.
public struct ServerConfiguration: Sendable {
  /// The address to listen on.
  public var host = "127.0.0.1"
  /// The port; 0 for any that is free.
  public var port = 8443
  /// A socket that listens already, in the place of ``host`` and ``port``. The server closes it at its end.
  public var listeningSocket: ListeningSocket?
  /// The addresses of proxies in front of the server. Their connections must begin with a header of the PROXY protocol, version 2,
  /// whose client's address then counts for limits and logs; of others a header is refused as garbage. By default none.
  public var proxies: [AddressBlock] = []
  /// The separate port of health, metrics and administration; nil: the port above serves health and metrics, and there is no
  /// administration.
  public var operations: OperationsAddress?
  /// The separate port of certificates, revocation lists and OCSP, plain HTTP/1.1 for anyone; nil: on the TLS port alone. What it
  /// serves is public and signed, and its readers may not trust the TLS certificate yet.
  public var publicListener: OperationsAddress?
  /// The server's TLS certificate and its issuers, DER, leaf first.
  public var certificateChain: [[UInt8]]
  /// The key of that certificate: PKCS#8, DER. A secret.
  public var privateKey: [UInt8] {
    get { key.array() }
    set { key = SecretBytes(newValue) }
  }
  private var key: SecretBytes
  /// The authority that issues the devices' certificates.
  public var authority: CertificateAuthority
  /// Further authorities by name, in the form of a profile's: they issue the certificates of the profiles that name them
  /// (`DeviceProfile.issuer`), each with a revocation list and OCSP responses of its own. Their devices are admitted as those of
  /// ``authority``.
  public var namedAuthorities: [String: CertificateAuthority] = [:]
  /// Earlier authorities of this server, whose devices are admitted and get certificates of ``authority`` when they renew. Their
  /// keys sign revocation lists and OCSP responses for the certificates that they issued, until these have expired.
  public var previousAuthorities: [CertificateAuthority] = []
  /// Additional authorities whose devices are admitted, DER, up to their roots: the previous one, until its certificates have
  /// expired. A device of theirs is valid if the store knows it.
  public var alsoTrusted: [[UInt8]] = []
  /// The key that signs the server's responses.
  public var answerKey: any AuthorityKey
  /// Where the records are stored.
  public var store: any EnrollmentStore
  /// This server's name in the audit chain; unique among servers that share a store.
  public var node: String
  /// The ID that claims the name while the server runs, the same after each restart of the same server. Nil: the name is not
  /// claimed.
  public var nodeHolder: Identifier?
  /// The file outside the database for the signed ends of the audit chains (`AuditCheckpoint`). Nil: none.
  public var auditHeadsFile: String?
  /// Required authentication and lifetimes.
  public var policy = ServerPolicy()
  /// The limits per peer.
  public var limits = ServerLimits()
  /// The services beside the enrollment of devices: none by default.
  public var services: [any DeviceService] = []
  /// The clock.
  public var clock: @Sendable () -> Date = { Date() }
  /// The metrics; shared with all other code in this process that counts.
  public var metrics = PrometheusMetrics()
  /// What the port that tenants share counts, to be told beside a tenant's own metrics.
  var portMetrics: PrometheusMetrics?
  /// The logger.
  public var logger: Logger

  /// Creates a configuration; all other properties have defaults.
  public init(
    certificateChain: [[UInt8]], privateKey: [UInt8], authority: CertificateAuthority, answerKey: any AuthorityKey,
    store: any EnrollmentStore, node: String, logger: Logger
  ) {
    self.certificateChain = certificateChain
    key = SecretBytes(privateKey)
    self.authority = authority
    self.answerKey = answerKey
    self.store = store
    self.node = node
    self.logger = logger
  }
}

extension ServerConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The address only: a service runner logs this value, which contains keys.
  public var description: String { "ServerConfiguration(\(host):\(port))" }
  /// The address only.
  public var debugDescription: String { description }
  /// Empty, to hide the content.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The address of the admin listener: health and metrics without credentials, and, on loopback or with TLS, administration.
public struct OperationsAddress: Sendable, Hashable {
  /// The address to listen on.
  public var host: String
  /// The port; 0 for any that is free.
  public var port: Int
  /// Authorities of administrators' client certificates, DER. With them the listener has TLS, by the server's certificate; without,
  /// it is plain HTTP/1.1, for loopback or a network of authorized readers. Nil: plain.
  public var authorities: [[UInt8]]?
  /// Names of the listener beside `localhost`, addresses of loopback and ``host``. On loopback and without TLS a request for any other name
  /// is refused, since a page of the web could lead a browser there under its own name.
  public var names: [String]
  /// A socket that listens already on ``host`` and ``port``. The server closes it at its end.
  public let socket: ListeningSocket?

  /// Creates an address.
  public init(host: String = "127.0.0.1", port: Int, authorities: [[UInt8]]? = nil, names: [String] = []) {
    (self.host, self.port, self.authorities, self.names, socket) = (host, port, authorities, names, nil)
  }

  /// Takes the address of a socket that listens already.
  public init(socket: ListeningSocket, authorities: [[UInt8]]? = nil, names: [String] = []) {
    (host, port, self.authorities, self.names, self.socket) = (socket.host, socket.port, authorities, names, socket)
  }

  /// Whether administration is served here: a token does not cross a network in the clear.
  public var hasAdministration: Bool {
    authorities != nil || host == "localhost" || host == "::1" || host.hasPrefix("127.")
  }
}

/// Lifetimes in seconds, and the approval rules.
public struct ServerPolicy: Sendable {
  /// The lifetime of a session.
  public var tokenLifetime: Int64 = 15 * 60
  /// The lifetime of a device's certificate.
  public var certificateLifetime: Int64 = 24 * 3600
  /// The time after its certificate's end within which a device gets another by the proof of its identity key, without a new enrollment.
  /// 0: none.
  public var renewalAfterExpiry: Int64 = 0
  /// The lifetime of a challenge.
  public var challengeLifetime: Int64 = 60
  /// How long the response to an Idempotency-Key is stored; longer than any client retries.
  public var answerLifetime: Int64 = 48 * 3600
  /// The clock tolerance and the lifetime of signatures.
  public var window = SealedProfile.Window()
  /// The seconds after its registration before a new approval key is valid for approvals.
  public var approvalCoolDown: Int64 = 0
  /// The trusted authorities for keys in a TPM.
  public var attestationTrust = AttestationTrust.nothing
  /// The required evidence of an approval key's attestation: by default none, and the proven evidence is recorded.
  public var attestationPolicy = AttestationPolicy(minimumLevel: .software)
  /// The required evidence of an identity key's attestation at registration; nil: none, and the proven evidence is recorded.
  /// With a requirement, the server generates no keys for devices, and a renewal must reuse the key.
  public var identityAttestationPolicy: AttestationPolicy?
  /// Whether a session that a password opened may register a device; otherwise only an enrollment token does.
  public var allowsPasswordEnrollment = true
  /// The seconds for which a registration waits for an approval, and an approved one for its device.
  public var pendingLifetime: Int64 = 24 * 3600
  /// The scrypt cost of password hashes: the base-2 logarithm of N (RFC 7914), 10 to 18, with r = 8 and p = 1. A hash takes
  /// 2^(10 + n) bytes; 16 MiB with 14. A hash of lower cost is replaced when its user logs in.
  public var passwordCost = 14
  /// The seconds for which a revocation list is valid; a new one is issued after half of it, or after a revocation.
  public var revocationListLifetime: Int64 = 24 * 3600
  /// The seconds for which an OCSP response is valid, and cached by others.
  public var statusLifetime: Int64 = 3600
  /// Whether OCSP responses are signed by a responder's key in memory, to which the authority issues a certificate for a week;
  /// otherwise the authority's own key signs each.
  public var delegatesStatus = true
  /// The maximum age of this server's knowledge of revocations by *other* servers before it reads the store.
  public var revocationStaleness: Duration = .milliseconds(500)

  /// Creates the default policy.
  public init() {}
}

/// The limits per peer. Times are in seconds.
public struct ServerLimits: Sendable {
  /// Concurrent connections; further ones are closed at once.
  public var connections = 20_000
  /// Concurrent connections of one address (IPv6: of one /64); further ones are closed at once.
  public var connectionsPerAddress = 512
  /// The time limit of a handshake.
  public var handshakeTimeout = 10.0
  /// The time limit from the first to the last byte of a request. Also the idle limit of a connection without a client
  /// certificate, and the time for requests in progress at shutdown.
  public var requestTimeout = 30.0
  /// The time limit of a response, from its first byte until the system has accepted its last, for clients that do not read.
  public var answerTimeout = 30.0
  /// The idle limit of a device's connection.
  public var idleTimeout = 600.0
  /// The size limit in bytes of a request's fields, each and in total.
  public var headerSize = 16 * 1024
  /// The number of a request's fields.
  public var headerCount = 64
  /// The size limit of a body, in bytes.
  public var bodySize = 64 * 1024
  /// The bytes held of incomplete bodies per connection. Each body counts as 4 KiB at least, for its overhead.
  public var unfinishedBodiesPerConnection = 128 * 1024
  /// The bytes held of incomplete bodies per device, or per address (IPv6: /64) without a certificate.
  public var unfinishedBodiesPerPeer = 256 * 1024
  /// The size limit of a service's answer, in bytes.
  public var answerSize = 1 << 20
  /// The time limit of a transaction, and of what a service does before one. Requests whose transaction has exceeded it are refused, and what
  /// it did is undone.
  public var transactionTime = 30.0
  /// The nesting depth of JSON.
  public var jsonDepth = 16
  /// Consecutive wrong passwords for one user from one origin: an address (IPv6: a /64) or a device.
  public var passwordFailures = 5
  /// The seconds until such an origin has another attempt.
  public var lockSeconds: Int64 = 60
  /// Wrong passwords a day for one user from one origin, and from all origins together that never logged this user in.
  public var passwordFailuresPerDay = 100
  /// Logins, challenges, registrations and renewals a minute from one address (IPv6: one /64), or one device; password logins
  /// count for both.
  public var loginsPerMinute = 30
  /// The valid devices of one user: those with a valid certificate, or an approval key. Beyond it, registration is refused.
  public var devicesPerUser = 100
  /// The registrations of one user that wait for an approval; further ones are refused.
  public var pendingDevicesPerUser = 8
  /// Requests a second without a certificate, from one address (IPv6: one /64).
  public var anonymousRequestsPerSecond = 100
  /// Requests a second from one device.
  public var requestsPerSecond = 200
  /// Passwords that are hashed at once: each takes a core, and memory by ``ServerPolicy/passwordCost``. On several cores, one
  /// stays free for other work.
  public var passwordsAtOnce = 2
  /// The longest wait of a login for its password's hash, in seconds; a login that would wait longer is refused at once, with a
  /// `Retry-After`.
  public var passwordWait = 0.75

  /// Creates the default limits.
  public init() {}
}
