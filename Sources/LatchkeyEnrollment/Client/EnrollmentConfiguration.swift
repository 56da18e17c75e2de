public import Foundation
internal import LatchkeyByteCoding
public import Logging
public import Security

/// The configuration of a client.
public struct EnrollmentConfiguration: Sendable {
  /// The server: `https`, a host and perhaps a port; no path.
  public let server: ServerAddress
  /// Who may vouch for the server; nil for the system's roots.
  public var trustRoots: [SecCertificate]?
  /// Names this enrollment among the keychain's items; different ones are different devices.
  public var label: String
  /// The label of the identity key.
  public var identityKeyLabel: String
  /// The label of the approval key.
  public var approvalKeyLabel: String
  /// What each use of an approval key asks of the user, where one is made.
  public var approvalKeyGuard = ApprovalKeyGuard.userPresence
  /// Where the identity is stored, for its own protection space.
  public var credentials = CredentialStorage.shared
  /// How often and how soon a request is sent again.
  public var retries = RetryPolicy()
  /// How long a request may take, all its attempts together, each from the connection to the last byte of the answer; the waits in
  /// between are not counted.
  public var timeout: Duration = .seconds(30)
  /// What part of a certificate's life must be left, or it is renewed before the next request.
  public var renewalFraction = 1.0 / 3
  /// Posts the notifications of `Examples/002-sealed-transfer`; nil, the default, for none.
  public var notifications: OperationNotifications?
  /// The clock.
  public var clock: @Sendable () -> Date = { Date() }
  /// Waits before a request is sent again.
  public var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  /// So many fresh random bytes.
  public var random: @Sendable (_ count: Int) throws -> [UInt8] = { try EnrollmentConfiguration.randomBytes($0) }
  /// Where the log goes.
  public var logger = Logger(label: "latchkey.enrollment")

  /// A configuration; everything else has a default.
  ///
  /// - Parameters:
  ///   - server: where the service is.
  ///   - trustRoots: who may vouch for it; nil for the system's roots.
  ///   - label: names this enrollment; the keys' labels are made of it.
  public init(server: ServerAddress, trustRoots: [SecCertificate]? = nil, label: String = "default") {
    self.server = server
    self.trustRoots = trustRoots
    self.label = label
    identityKeyLabel = "latchkey-identity-\(label)"
    approvalKeyLabel = Self.approvalKeyPrefix + label
  }

  /// The configuration of an enrollment that the keychain knows: server, roots and labels as they were stored.
  ///
  /// - Throws: ``EnrollmentError``: `.notEnrolled` if there is none of this label; `.keychain`.
  public init(enrolled label: String = "default") throws(EnrollmentError) {
    guard let record = try EnrollmentRecord.find(label: label) else { throw .notEnrolled }
    let roots = record.roots?.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
    self.init(server: try ServerAddress(record.server), trustRoots: roots, label: label)
    identityKeyLabel = record.identityKeyLabel
    approvalKeyLabel = record.approvalKeyLabel
  }

  /// How the labels of approval keys begin that enrollments make.
  static let approvalKeyPrefix = "latchkey-approval-"

  /// The label of an identity key that is to take the place of the one that is.
  var nextIdentityKeyLabel: String { identityKeyLabel + "-next" }

  /// Seconds since 1970.
  var now: Int64 { Int64(clock().timeIntervalSince1970.rounded(.down)) }

  /// The space that the identity is for.
  var identitySpace: ProtectionSpace {
    ProtectionSpace(host: server.host, port: server.port, authenticationMethod: .clientCertificate)
  }

  /// A fresh name, 128 bit: base64url.
  func freshName() throws -> String { Base64.encode(try random(16), as: .urlUnpadded) }

  static func randomBytes(_ count: Int) throws(EnrollmentError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let status = bytes.withUnsafeMutableBytes { buffer in
      buffer.baseAddress.map { SecRandomCopyBytes(kSecRandomDefault, count, $0) } ?? errSecSuccess
    }
    guard status == errSecSuccess else { throw .keychain(status: status, "there are no random bytes: try again") }
    return bytes
  }
}
