import Foundation
import LatchkeyCertificateAuthority
import LatchkeyCommandLine
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore
import LatchkeySealedMessages
import Logging

/// What the options of a server name, opened: authority, keys, store.
final class PreparedServer: Sendable {
  let command: ServeCommand
  let folder: StateFolder
  let configuration: ServerConfiguration
  let demo: DemoUser?
  /// Whether it is one of several tenants.
  let isTenant: Bool
  private let node: NodeIdentity

  /// Opens everything, and makes what the first start makes.
  ///
  /// - Parameter isTenant: whether it is one of several. Then it has no user to try things with, its own certificate is for its TLS names
  ///   alone, and a store that does not answer yet is no error.
  init(_ command: ServeCommand, _ sockets: PassedSockets, isTenant: Bool = false, logger: Logger) async throws {
    (self.command, self.isTenant) = (command, isTenant)
    folder = try command.store.folder()
    var isNew: (authority: Bool, answerKey: Bool) = (false, false)
    var authority = try command.authority.authority(folder, now: Date()) { isNew.authority = true }
    command.publication.apply(to: &authority)
    if let url = command.policy.crlURL { authority.revocationListURL = url }
    let identity = try command.tls.identity(host: isTenant ? nil : command.listen.host, by: authority, now: Date())
    let answerKey = try AnswerKey.key(folder) { isNew.answerKey = true }
    node = try NodeIdentity(command.store.nodeName, in: folder)
    if let file = try? command.store.sqliteFile(folder, for: "") { SQLiteBackup.reportRemovedDrafts(of: file) }
    let database = try command.store.open(folder, node: command.store.nodeName, logger: logger)
    var configuration = ServerConfiguration(
      certificateChain: identity.chain, privateKey: identity.key, authority: authority, answerKey: answerKey,
      store: database, node: command.store.nodeName, logger: logger)
    configuration.nodeHolder = node.holder
    configuration.auditHeadsFile = folder.path(AuditCommand.headsFile)
    configuration.services = try command.bank.service().map { [$0] } ?? []
    try command.apply(to: &configuration, sockets)
    let services = configuration.services
    if isNew.authority || isNew.answerKey {
      let hasDevices = try await Self.read(database, mayBeAway: isTenant) { try $0.hasDevices() }
      if hasDevices == true { Self.warnOfNewKeys(in: folder, isNew) }
    }
    demo =
      isTenant
      ? nil
      : try await DemoUser.make(
        in: database, folder: folder, isWanted: command.isUnconfigured, services: services)
    for profile in try await Self.read(database, mayBeAway: isTenant, { try $0.profiles() }) ?? [] {
      Self.warnOfMissingAuthority(profile, configuration)
    }
    self.configuration = configuration
  }

  /// Reads the store.
  ///
  /// - Returns: nil if it does not answer, and may not.
  private static func read<T: Sendable>(
    _ store: any EnrollmentStore, mayBeAway: Bool, _ body: @escaping @Sendable (any StoreTransaction) throws -> T
  ) async throws -> T? {
    do {
      return try await store.read(body)
    } catch EnrollmentStoreError.unavailable(_) where mayBeAway {
      return nil
    }
  }

  /// A profile whose authority this server does not have: its devices get no certificates.
  private static func warnOfMissingAuthority(_ profile: DeviceProfile, _ configuration: ServerConfiguration) {
    guard let issuer = profile.issuer, configuration.namedAuthorities[issuer] == nil else { return }
    StandardStreams.reportError(
      "the profile \(profile.name) names the authority \(issuer), which this server does not have, and its devices get no "
        + "certificates: give --named-ca \(issuer)=FILE and --named-ca-key \(issuer)=KEY")
  }

  /// The store has devices, and what they know this server by was not there.
  private static func warnOfNewKeys(in folder: StateFolder, _ isNew: (authority: Bool, answerKey: Bool)) {
    var files: [String] = []
    if isNew.authority { files += ["ca.pem", "ca-key.pem"] }
    if isNew.answerKey { files.append("answer-key.pem") }
    let (text, paths) = (files.joined(separator: " and "), files.map { folder.path($0) })
    StandardStreams.reportError(
      "\(text) of the devices in the store was not there, and was made anew: these devices refuse this server, or it refuses "
        + "them, until they enroll again; if there is a copy, end the server and restore \(paths.joined(separator: ", "))"
    )
  }

  /// Reads the server's certificate again.
  func renewedIdentity() throws -> (chain: [[UInt8]], key: [UInt8]) {
    try command.tls.identity(
      host: isTenant ? nil : command.listen.host, by: configuration.authority, now: Date())
  }
}

extension ServeCommand {
  /// Sets what the options say, beside authority, keys and store.
  fileprivate func apply(to configuration: inout ServerConfiguration, _ sockets: PassedSockets) throws {
    configuration.alsoTrusted = try tls.alsoTrusted()
    configuration.host = listen.host
    configuration.port = listen.port
    configuration.listeningSocket = sockets["https"]
    let administrators = try adminCA.map { try ServerFile.certificates($0) }
    configuration.operations =
      if let socket = sockets["admin"] {
        OperationsAddress(socket: socket, authorities: administrators, names: adminNames)
      } else {
        operationsListen.map {
          OperationsAddress(host: $0.host, port: $0.port, authorities: administrators, names: adminNames)
        }
      }
    configuration.proxies = proxyFrom?.blocks ?? []
    limits.apply(to: &configuration.limits)
    policy.apply(to: &configuration.policy)
    further.apply(to: &configuration)
    try attestation.apply(to: &configuration.policy)
    try publication.apply(to: &configuration)
    if let socket = sockets["public"] { configuration.publicListener = OperationsAddress(socket: socket) }
    configuration.namedAuthorities = try named.authorities(
      besides: [configuration.authority] + configuration.previousAuthorities
    ).mapValues {
      var authority = $0
      publication.apply(to: &authority)
      return authority
    }
  }
}
