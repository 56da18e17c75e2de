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
  /// Where health and metrics are served, and nowhere else then; nil: on the port above, beside all else.
  public var operations: OperationsAddress?
  /// The server's TLS certificate and its issuers, DER, leaf first.
  public var certificateChain: [[UInt8]]
  /// The key of that certificate: PKCS#8, DER. A secret.
  public var privateKey: [UInt8] {
    get { key.array() }
    set { key = SecretBytes(newValue) }
  }
  private var key: SecretBytes
  /// Who issues the devices' certificates.
  public var authority: CertificateAuthority
  /// Authorities whose devices are let in besides, DER, up to their roots: the one before, until its certificates have ended.
  /// A device of theirs counts if the store knows it.
  public var alsoTrusted: [[UInt8]] = []
  /// What signs the server's answers.
  public var answerKey: any AuthorityKey
  /// Where the records are stored.
  public var store: any EnrollmentStore
  /// This server's name in the audit chain; unique among those that share a store.
  public var node: String
  /// Who claims that name while the server runs: the same after each start of the same server. Nil: none does.
  public var nodeHolder: Identifier?
  /// Where the signed ends of the audit chains are stored (`AuditCheckpoint`): a file outside of the database. Nil: nowhere.
  public var auditHeadsFile: String?
  /// What is asked of whom, and for how long things count.
  public var policy = ServerPolicy()
  /// How much one peer may take.
  public var limits = ServerLimits()
  /// The old service's routes (`Examples/002-sealed-transfer`); nil, the default, for none.
  public var documented: DocumentedService?
  /// The clock.
  public var clock: @Sendable () -> Date = { Date() }
  /// What is counted; shared with everything else that counts in this process.
  public var metrics = PrometheusMetrics()
  /// Where the log goes.
  public var logger: Logger

  /// A configuration; everything else has a default.
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
  /// The address alone: what runs a server as a service prints it into its log, and here are keys.
  public var description: String { "ServerConfiguration(\(host):\(port))" }
  /// The address alone.
  public var debugDescription: String { description }
  /// Nothing of what it holds.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Where health and metrics are served: HTTP/1.1 without TLS or credentials. On loopback, or in a network of those who may read them.
public struct OperationsAddress: Sendable, Hashable {
  /// The address to listen on.
  public var host: String
  /// The port; 0 for any that is free.
  public var port: Int

  /// An address.
  public init(host: String = "127.0.0.1", port: Int) { (self.host, self.port) = (host, port) }
}

/// How long things count, in seconds, and what needs an approval.
public struct ServerPolicy: Sendable {
  /// A session.
  public var tokenLifetime: Int64 = 15 * 60
  /// A device's certificate.
  public var certificateLifetime: Int64 = 24 * 3600
  /// A challenge.
  public var challengeLifetime: Int64 = 60
  /// What was answered to an Idempotency-Key; longer than any client tries again.
  public var answerLifetime: Int64 = 48 * 3600
  /// Clock and life of signatures.
  public var window = SealedProfile.Window()
  /// Transfers of so many minor units or more need the approval key.
  public var approvalThreshold: Int64 = 100_000
  /// Minor units that an account gives within a day (this hour and the 24 before it) without the approval key; what goes beyond
  /// needs it. Nil: any number of small transfers.
  public var dailyUnapprovedSum: Int64?
  /// Minor units that an account gives within a day at all. Nil: whatever it has.
  public var dailySum: Int64?
  /// Seconds after its registration before a new approval key counts for transfers.
  public var approvalCoolDown: Int64 = 0
  /// Seconds that a transfer's date may lie ahead. None may lie before the UTC day that runs. The old service's transfers, too, unless
  /// ``DocumentedService/allowsAnyDate``.
  public var transferDateAhead: Int64 = 90 * 86_400
  /// Who vouches for keys that live in a TPM.
  public var attestationTrust = AttestationTrust.nothing
  /// What an approval key's attestation must prove: by default nothing, and what it proves is recorded.
  public var attestationPolicy = AttestationPolicy(minimumLevel: .software)
  /// What an identity key's attestation must prove when a device registers; nil: none is required, and what one proves is
  /// recorded. With one, the server makes no keys for devices, and a renewal keeps the key.
  public var identityAttestationPolicy: AttestationPolicy?
  /// scrypt's cost of passwords' hashes: the base-2 logarithm of N (RFC 7914), 10 to 18, with r = 8 and p = 1. A hash takes
  /// 2^(10 + n) bytes; 16 MiB with 14. A hash that cost less is made anew when its user logs in.
  public var passwordCost = 14
  /// Seconds that a revocation list counts; a new one is made after half of it, or when something was revoked.
  public var revocationListLifetime: Int64 = 24 * 3600
  /// How old this server's knowledge of revocations by *other* servers may be before it asks the store.
  public var revocationStaleness: Duration = .milliseconds(500)

  /// The defaults.
  public init() {}
}

/// How much one peer may take. Times are in seconds.
public struct ServerLimits: Sendable {
  /// Connections at once; further ones are closed as they come.
  public var connections = 20_000
  /// Connections at once of one address (IPv6: of one /64); further ones are closed as they come.
  public var connectionsPerAddress = 512
  /// For a handshake.
  public var handshakeTimeout = 10.0
  /// From the first to the last byte of a request. Also how long a connection without a client certificate may be idle, and how
  /// long requests under way have when the server ends.
  public var requestTimeout = 30.0
  /// For an answer, from its first byte until the system has taken its last: a client that does not read is not waited for.
  public var answerTimeout = 30.0
  /// How long a device's connection may be without requests.
  public var idleTimeout = 600.0
  /// Bytes of a request's fields, one by one and together.
  public var headerSize = 16 * 1024
  /// Fields of a request.
  public var headerCount = 64
  /// Bytes of a body.
  public var bodySize = 64 * 1024
  /// Bytes of bodies that have not come whole, of one connection. Each counts as 4 KiB at least, for all that belongs to it.
  public var unfinishedBodiesPerConnection = 128 * 1024
  /// The same of one device, or of one address (IPv6: of one /64) that shows no certificate.
  public var unfinishedBodiesPerPeer = 256 * 1024
  /// Nesting of JSON.
  public var jsonDepth = 16
  /// Wrong passwords for one user, in a row, from one place: an address (IPv6: a /64) or a device.
  public var passwordFailures = 5
  /// Seconds until such a place may try once more.
  public var lockSeconds: Int64 = 60
  /// Wrong passwords a day for one user from one place, and from all places together that never logged this user in.
  public var passwordFailuresPerDay = 100
  /// Logins, challenges, registrations and renewals a minute of one address (IPv6: of one /64), or of one device; of passwords, both.
  public var loginsPerMinute = 30
  /// Devices of one user that count at once: with a certificate that counts, or an approval key. A user who has so many registers
  /// no other.
  public var devicesPerUser = 100
  /// Requests a second that show no certificate, from one address (IPv6: from one /64).
  public var anonymousRequestsPerSecond = 100
  /// Requests a second of one device.
  public var requestsPerSecond = 200
  /// Passwords that are hashed at once: each takes a core, and memory by ``ServerPolicy/passwordCost``. One core is left to all
  /// else where there are several.
  public var passwordsAtOnce = 2
  /// How long a login waits until its password is hashed; a login that would wait longer is refused at once, with a `Retry-After`.
  public var passwordWait = 0.75

  /// The defaults.
  public init() {}
}

/// The old service of `Examples/002-sealed-transfer`, for clients that cannot be changed. What an old client does not notice
/// is closed, and can be opened again by a switch of its own.
public struct DocumentedService: Sendable {
  /// The keys of the envelope: one pair in every copy of the old client.
  public var keys: DocumentedKeys
  /// How many digits an account number has: what makes the MAC's text unambiguous. Nil: any text, as the old service had it.
  public var accountDigits: Int? = 12
  /// Seconds that a transfer's date may lie from now, which bounds how long a message counts at all; nil: as far as
  /// ``ServerPolicy/transferDateAhead`` and ``allowsAnyDate`` let it: users may choose a date.
  public var dateWindow: Int64?
  /// Whether a transfer may have any date, as with the old service; without ``accountDigits`` a text that is none, too.
  public var allowsAnyDate = false
  /// Whether a request may come twice, as with the old service.
  public var allowsReplay = false
  /// Whether requests without a client certificate are served, as with the old service.
  public var allowsMissingCertificate = false
  /// Whether transfers are booked that need the approval key elsewhere (``ServerPolicy/approvalThreshold``): the old client has
  /// none.
  public var allowsUnapproved = false

  /// The documented service with these keys, its holes closed as far as old clients allow.
  public init(keys: DocumentedKeys) { self.keys = keys }
}
