public import Foundation
public import LatchkeyEnrollmentProtocol
public import LatchkeySealedMessages
public import Security

/// The configuration of a client of the old service (`Examples/002-sealed-transfer`), which is off unless a program creates
/// one.
public struct LegacyEnrollmentConfiguration: Sendable {
  /// The server.
  public let server: ServerAddress
  /// The trusted roots for the server's certificate; nil for the system's roots.
  public var trustRoots: [SecCertificate]?
  /// The keys of the envelope: one pair in every copy of the old client.
  public var keys: LegacyEnvelopeKeys
  /// The place of the token in a request.
  public var signing: LegacyEnrollment.SigningOption = .header
  /// The storage of the identity, in its own protection space.
  public var credentials = CredentialStorage.shared
  /// The time limit of a request. None is repeated, because a repetition could not be recognized.
  public var timeout: Duration = .seconds(30)
  /// Posts the old client's notifications; nil, the default, for none.
  public var notifications: OperationNotifications?
  /// The clock.
  public var clock: @Sendable () -> Date = { Date() }
  /// Returns this number of fresh random bytes.
  public var random: @Sendable (_ count: Int) throws -> [UInt8] = { try EnrollmentConfiguration.randomBytes($0) }

  /// Creates a configuration; all other properties have defaults.
  public init(server: ServerAddress, trustRoots: [SecCertificate]? = nil, keys: LegacyEnvelopeKeys) {
    self.server = server
    self.trustRoots = trustRoots
    self.keys = keys
  }

  /// The protection space of the identity, as in the old client: empty realm, a client certificate.
  public var identitySpace: ProtectionSpace {
    ProtectionSpace(host: server.host, port: server.port, authenticationMethod: .clientCertificate)
  }

  /// The configuration of the connections.
  var connections: EnrollmentConfiguration {
    var configuration = EnrollmentConfiguration(server: server, trustRoots: trustRoots)
    configuration.timeout = timeout
    return configuration
  }
}
