public import Foundation
public import LatchkeyEnrollmentProtocol
public import LatchkeySealedMessages
public import Security

/// The configuration of a client of the old service (`Examples/002-sealed-transfer`): off unless a program makes one.
public struct DocumentedConfiguration: Sendable {
  /// The server.
  public let server: ServerAddress
  /// Who may vouch for it; nil for the system's roots.
  public var trustRoots: [SecCertificate]?
  /// The keys of the envelope: one pair in every copy of the old client.
  public var keys: DocumentedKeys
  /// Where the token goes.
  public var signing: Documented.SigningOption = .header
  /// Where the identity is stored, for its own protection space.
  public var credentials = CredentialStorage.shared
  /// How long a request may take. None is sent twice: nothing in it would show that it is the same.
  public var timeout: Duration = .seconds(30)
  /// Posts the old client's notifications; nil, the default, for none.
  public var notifications: OperationNotifications?
  /// The clock.
  public var clock: @Sendable () -> Date = { Date() }
  /// So many fresh random bytes.
  public var random: @Sendable (_ count: Int) throws -> [UInt8] = { try EnrollmentConfiguration.randomBytes($0) }

  /// A configuration; everything else has a default.
  public init(server: ServerAddress, trustRoots: [SecCertificate]? = nil, keys: DocumentedKeys) {
    self.server = server
    self.trustRoots = trustRoots
    self.keys = keys
  }

  /// The space that the identity is for, as the old client makes it: realm empty, a client certificate.
  public var identitySpace: ProtectionSpace {
    ProtectionSpace(host: server.host, port: server.port, authenticationMethod: .clientCertificate)
  }

  /// What connections are made of.
  var connections: EnrollmentConfiguration {
    var configuration = EnrollmentConfiguration(server: server, trustRoots: trustRoots)
    configuration.timeout = timeout
    return configuration
  }
}
