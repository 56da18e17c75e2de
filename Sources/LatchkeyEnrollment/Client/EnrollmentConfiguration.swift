public import Foundation
public import LatchkeyEnrollmentProtocol
public import Logging
public import Security

/// The configuration of a client.
public struct EnrollmentConfiguration: Sendable {
  /// The server: `https`, a host and optionally a port; no path.
  public let server: ServerAddress
  /// The trusted roots for the server's certificate; nil for the system's roots.
  public var trustRoots: [SecCertificate]?
  /// Identifies this enrollment in the keychain; each label is a separate device.
  public var label: String
  /// The label of the identity key.
  public var identityKeyLabel: String
  /// The label of the approval key.
  public var approvalKeyLabel: String
  /// The user presence that each use of a newly created approval key requires.
  public var approvalKeyGuard = ApprovalKeyGuard.userPresence
  /// The storage of the identity, in its own protection space.
  public var credentials = CredentialStorage.shared
  /// How often and when a request is sent again.
  public var retries = RetryPolicy()
  /// The time limit of a request over all its attempts, each from the connection to the last byte of the response; waits
  /// between attempts do not count.
  public var timeout: Duration = .seconds(30)
  /// How long a registration waits for an approval, where the server requires one; zero: it fails with
  /// ``EnrollmentError/awaitingApproval(_:)`` at once.
  public var approvalWait: Duration = .zero
  /// The time between two questions for an approval.
  public var approvalInterval: Duration = .seconds(5)
  /// Called once when a registration begins to wait for an approval.
  public var approvalNotice: @Sendable (PendingDevice) -> Void = { _ in }
  /// The fraction of a certificate's validity below which it is renewed before the next request.
  public var renewalFraction = 1.0 / 3
  /// Posts the notifications of `Examples/002-sealed-transfer`; nil, the default, for none.
  public var notifications: OperationNotifications?
  /// The clock.
  public var clock: @Sendable () -> Date = { Date() }
  /// Waits before a request is sent again.
  public var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  /// Returns this number of fresh random bytes.
  public var random: @Sendable (_ count: Int) throws -> [UInt8] = { try EnrollmentConfiguration.randomBytes($0) }
  /// Called after each step of a change of the identity key; a test ends there.
  package var onKeyChange: @Sendable (KeyChangeStep) throws(EnrollmentError) -> Void = { (_) throws(EnrollmentError) in
  }
  /// Called when another process changes the identity, and this one waits for its end.
  package var onWaiting: @Sendable () -> Void = {}
  /// The logger.
  public var logger = Logger(label: "latchkey.enrollment")

  /// Creates a configuration; all other properties have defaults.
  ///
  /// - Parameters:
  ///   - server: the address of the service.
  ///   - trustRoots: the trusted roots for the server's certificate; nil for the system's roots.
  ///   - label: identifies this enrollment; the keys' labels derive from it.
  public init(server: ServerAddress, trustRoots: [SecCertificate]? = nil, label: String = "default") {
    self.server = server
    self.trustRoots = trustRoots
    self.label = label
    identityKeyLabel = "latchkey-identity-\(label)"
    approvalKeyLabel = Self.approvalKeyPrefix + label
  }

  /// Loads the configuration of a stored enrollment: its server, roots and labels.
  ///
  /// - Throws: ``EnrollmentError``: `.notEnrolled` if there is none with this label; `.keychain`.
  public init(enrolled label: String = "default") throws(EnrollmentError) {
    guard let record = try EnrollmentRecord.find(label: label) else { throw .notEnrolled }
    let roots = record.roots?.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
    self.init(server: try ServerAddress(record.server), trustRoots: roots, label: label)
    identityKeyLabel = record.identityKeyLabel
    approvalKeyLabel = record.approvalKeyLabel
  }

  /// Loads the configuration of a device that is enrolled with this server, with the roots of its enrollment; nil if there is none with
  /// this label.
  package init?(deviceAt server: ServerAddress, label: String) throws(EnrollmentError) {
    guard let record = try EnrollmentRecord.find(label: label), record.device != nil,
      record.server == server.description
    else { return nil }
    try self.init(enrolled: label)
  }

  /// The label prefix of approval keys that enrollments create.
  static let approvalKeyPrefix = "latchkey-approval-"

  /// The label of the identity key that is to replace the current one.
  var nextIdentityKeyLabel: String { identityKeyLabel + "-next" }

  /// The current time, in seconds since 1970.
  var now: Int64 { Int64(clock().timeIntervalSince1970.rounded(.down)) }

  func reached(_ step: KeyChangeStep) throws(EnrollmentError) { try onKeyChange(step) }

  /// The protection space of the identity.
  var identitySpace: ProtectionSpace {
    ProtectionSpace(host: server.host, port: server.port, authenticationMethod: .clientCertificate)
  }

  /// A fresh random name, 128 bits: base64url.
  func freshName() throws -> String { Base64URL.encode(try random(16)) }

  static func randomBytes(_ count: Int) throws(EnrollmentError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let status = bytes.withUnsafeMutableBytes { buffer in
      buffer.baseAddress.map { SecRandomCopyBytes(kSecRandomDefault, count, $0) } ?? errSecSuccess
    }
    guard status == errSecSuccess else { throw .keychain(status: status, "there are no random bytes: try again") }
    return bytes
  }
}
