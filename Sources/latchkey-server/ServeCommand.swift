import ArgumentParser
import Foundation
import LatchkeyCertificateAuthority
import LatchkeyCommandLine
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore
import LatchkeySealedMessages
import Logging
import ServiceLifecycle

/// `latchkey-server serve`: the enrollment server, until a signal ends it.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Run the enrollment server.",
    discussion: """
      Without options it listens on loopback, with an authority, keys and a database that it makes in its state folder, and a \
      user `demo`; it prints what to try next. Requests under way are finished at SIGINT and SIGTERM; at SIGHUP the \
      certificate is read again.

      Sockets of a service manager (LISTEN_FDS) with the names https, admin and public are taken in the place of --listen, --admin-listen \
      and --public-listen.

      The operator has commands of its own, for users, accounts, devices and more: `latchkey-server help`, or \
      `latchkey serve help`, lists them.

      With --json: listening (url, operations, public, ca, store, node, authority), demo (user, passwordFile), reloaded (chain), notReloaded \
      (reason), stopping, done or error.
      """,
    examples: [
      "latchkey-server serve",
      "latchkey-server serve --listen 0.0.0.0:8443 --state /var/lib/latchkey --admin-listen 127.0.0.1:9444",
    ],
    statuses: .store)

  @Option(help: ArgumentHelp("Where to listen; port 0 is any.", valueName: "host:port"))
  var listen = ListenAddress(argument: "127.0.0.1:8443") ?? ListenAddress.loopback
  @Option(
    name: [.customLong("admin-listen"), .customLong("operations-listen")],
    help: ArgumentHelp(
      """
      Where to serve health and metrics, for anyone there, and administration, for administrators (latchkey-server admin); the public \
      port then has none of them. Plain HTTP, or TLS with --admin-ca. A port alone is on loopback; elsewhere administration needs TLS.
      """,
      valueName: "host:port"))
  var operationsListen: ListenAddress?
  @Option(
    name: .customLong("admin-ca"),
    help: ArgumentHelp(
      "Serve --admin-listen over TLS, by the server's certificate, and accept client certificates of these authorities, PEM.",
      valueName: "file"))
  var adminCA: String?
  @Option(
    name: .customLong("admin-name"),
    help: ArgumentHelp(
      """
      Another name of --admin-listen beside localhost and its address, may be repeated: in the clear on loopback, requests for any other \
      name are refused, since a web page could lead a browser there.
      """, valueName: "name"))
  var adminNames: [String] = []
  @Option(
    help: ArgumentHelp(
      "Addresses of load balancers, 10.0.0.0/8, several by commas: their connections begin with a PROXY header, version 2.",
      valueName: "addresses"))
  var proxyFrom: ProxyAddresses?
  @OptionGroup var store: StoreOptions
  @OptionGroup var authority: AuthorityOptions
  @OptionGroup(title: "Authorities of profiles") var named: NamedAuthorityOptions
  @OptionGroup var tls: TLSOptions
  @OptionGroup(title: "Certificates of others, and their status") var publication: PublicationOptions
  @OptionGroup(title: "Policy") var policy: PolicyOptions
  @OptionGroup(title: "Sample bank") var bank: LedgerOptions
  @OptionGroup(title: "Attestation") var attestation: AttestationOptions
  @OptionGroup var limits: LimitOptions
  @OptionGroup(title: "Further policy and limits") var further: FurtherOptions
  @Flag(
    help: "Check all options and the files and the store that they name, print what counts and why, and start nothing.")
  var check = false
  @OptionGroup var log: LogOptions
  @OptionGroup var output: EventOptions

  func run() async throws {
    if check { return try await ServerCheck(self).run() }
    do {
      let sockets = try PassedSockets.take(named: PassedSockets.ports)
      try await taking(sockets).serve(sockets)
    } catch {
      let failure = CommandFailure(of: error)
      if output.json {
        output.emit(nil, "error", ["code": .text(failure.code), "message": .text(failure.message)])
      }
      throw failure
    }
    output.emit(nil, "done")
  }

  private func serve(_ sockets: PassedSockets) async throws {
    OpenFiles.raiseLimit()
    let logger = log.logger(label: "latchkey-server")
    let folder = try store.folder()
    var isNew: (authority: Bool, answerKey: Bool) = (false, false)
    var authority = try authority.authority(folder, now: Date()) { isNew.authority = true }
    publication.apply(to: &authority)
    if let url = policy.crlURL { authority.revocationListURL = url }
    let identity = try tls.identity(host: listen.host, by: authority, now: Date())
    let answerKey = try AnswerKey.key(folder) { isNew.answerKey = true }
    let node = try NodeIdentity(store.nodeName, in: folder)
    warn()
    let database = try store.open(folder, node: store.nodeName, logger: logger)
    if isNew.authority || isNew.answerKey, try await database.read({ try $0.hasDevices() }) {
      warnOfNewKeys(in: folder, isNew)
    }
    let services: [any DeviceService] = try bank.service().map { [$0] } ?? []
    let demo = try await DemoUser.make(
      in: database, folder: folder, isWanted: isUnconfigured, services: services)
    var configuration = ServerConfiguration(
      certificateChain: identity.chain, privateKey: identity.key, authority: authority, answerKey: answerKey,
      store: database, node: store.nodeName, logger: logger)
    configuration.alsoTrusted = try tls.alsoTrusted()
    configuration.nodeHolder = node.holder
    configuration.auditHeadsFile = folder.path(AuditCommand.headsFile)
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
    configuration.services = services
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
    try await warnOfMissingAuthorities(configuration)
    let server = try EnrollmentServer(configuration)
    let group = ServiceGroup(
      configuration: .init(
        services: [.init(service: server, successTerminationBehavior: .gracefullyShutdownGroup)], logger: logger))
    let manager = ServiceManager()
    let reloading = Reloading(
      manager: manager, server: server, tls: tls, host: listen.host, authority: configuration.authority, output: output)
    let signals = ServerSignals {
      output.emit(nil, "stopping")
      manager?.stopping()
      Task { await group.triggerGracefulShutdown() }
    } reload: {
      reloading.reload()
    }
    defer { signals.cancel() }
    let announced = Task {
      guard let port = try? await server.port else { return }
      do {
        let (operations, published) = (try await server.operationsPort, try await server.publicPort)
        manager?.ready("Listening on \(listen.url(port: port))")
        announce(port: port, operations: operations, published: published, folder: folder, demo: demo)
      } catch {}
    }
    defer { announced.cancel() }
    let renewing = Task { await reloading.eachDay() }
    defer { renewing.cancel() }
    let living = Task { await manager?.keepAlive() }
    defer { living.cancel() }
    do {
      try await group.run()
    } catch let error as NodeNameError {
      throw CommandFailure(.unavailable, code: "nodeTaken", "\(error)")
    } catch let error as OperationsListenerError where error.isPublic {
      throw CommandFailure(
        .unavailable, code: "notServing",
        "--public-listen \(publication.publicListen?.defaultValueDescription ?? "") cannot be listened on: "
          + Self.root(of: error.cause, option: "--public-listen"))
    } catch let error as OperationsListenerError {
      throw CommandFailure(
        .unavailable, code: "notServing",
        "--admin-listen \(operationsListen?.defaultValueDescription ?? "") cannot be listened on: "
          + Self.root(of: error.cause, option: "--admin-listen"))
    } catch {
      throw CommandFailure(
        .unavailable, code: "notServing",
        "\(listen.host):\(listen.port) cannot be listened on, or the server failed: "
          + Self.root(of: "\(error)", option: "--listen"))
    }
  }

  func validate() throws {
    guard adminCA == nil || operationsListen != nil || PassedSockets.isNamed("admin") else {
      throw ValidationError("--admin-ca goes with --admin-listen")
    }
    guard adminNames.allSatisfy({ (1...253).contains($0.utf8.count) && !$0.contains { ":/[] ".contains($0) } }) else {
      throw ValidationError("--admin-name is a name without port: admin.example.org")
    }
  }

  /// Options for trials are refused where other machines reach the server.
  private func warn() {
    if let operationsListen, !operationsListen.isLoopback, adminCA == nil {
      StandardStreams.reportError(
        "health and metrics are open to other machines, without TLS: keep the public away from \(operationsListen.host); administration "
          + "is not served there: give --admin-ca"
      )
    }
    guard !listen.isLoopback else { return }
    if authority.isThrowAway {
      StandardStreams.reportError(
        "this server is open to other machines, with an authority that it made for itself: give --ca and --ca-key")
    }
    if isUnconfigured {
      StandardStreams.reportError("this server is open to other machines, and has the user demo")
    }
  }

  /// Profiles whose authority this server does not have: their devices get no certificates.
  private func warnOfMissingAuthorities(_ configuration: ServerConfiguration) async throws {
    for profile in try await configuration.store.read({ try $0.profiles() }) {
      guard let issuer = profile.issuer, configuration.namedAuthorities[issuer] == nil else { continue }
      StandardStreams.reportError(
        "the profile \(profile.name) names the authority \(issuer), which this server does not have, and its devices get no "
          + "certificates: give --named-ca \(issuer)=FILE and --named-ca-key \(issuer)=KEY")
    }
  }

  /// The store has devices, and what they know this server by was not there.
  private func warnOfNewKeys(in folder: StateFolder, _ isNew: (authority: Bool, answerKey: Bool)) {
    var files: [String] = []
    if isNew.authority { files += ["ca.pem", "ca-key.pem"] }
    if isNew.answerKey { files.append("answer-key.pem") }
    let (text, paths) = (files.joined(separator: " and "), files.map { folder.path($0) })
    StandardStreams.reportError(
      "\(text) of the devices in the store was not there, and was made anew: these devices refuse this server, or it refuses "
        + "them, until they enroll again; if there is a copy, end the server and restore \(paths.joined(separator: ", "))"
    )
  }

  /// Whether nothing was said of store and authority: then there is a user to try things with.
  private var isUnconfigured: Bool { store.store == nil && authority.ca == nil }

  private static func root(of text: String, option: String) -> String {
    text.contains("errno: \(EADDRINUSE)")
      ? "another program has the port: end it (ss -ltnp shows it), or choose another with \(option)" : text
  }

  private func announce(port: Int, operations: Int?, published: Int?, folder: StateFolder, demo: DemoUser?) {
    let url = listen.url(port: port)
    let ca = authority.file(folder)
    let health = operations.flatMap { operationsListen?.url(port: $0, scheme: adminCA == nil ? "http" : "https") }
    let published = published.flatMap { publication.publicListen?.url(port: $0, scheme: "http") }
    let others =
      (health.map { ", for health and metrics on \($0)" } ?? "")
      + (published.map { ", for certificates and their status on \($0)" } ?? "")
    output.emit(
      "Listening on \(url)\(others)", "listening",
      [
        "url": .text(url), "operations": health.map { .text($0) } ?? .null,
        "public": published.map { .text($0) } ?? .null, "ca": .text(ca),
        "store": .text(store.place(folder)), "node": .text(store.nodeName),
        "authority": .text(ca),
      ])
    guard let demo else { return }
    let latchkey = Sibling.latchkey
    let enroll =
      "\(latchkey) enroll \(url) --user \(demo.name) --password @\(demo.passwordFile.shellQuoted) --ca \(ca.shellQuoted)"
    let money =
      !bank.isServed
      ? ""
      : """

        \(latchkey) accounts
        \(latchkey) transfer --from 123123456456 --to 654654123123 --amount 12.50 --currency EUR
      """
    let old =
      !bank.legacy.isLegacy
      ? ""
      : """


      Or by the old protocol, which is not secure:

        \(enroll) --documented\(bank.legacy.clientOptions)
        \(latchkey) accounts --documented
        \(latchkey) transfer --documented --from 123123456456 --to 654654123123 --amount 12.50
      """
    output.emit(
      """
        clients believe  \(ca)
        store            \(store.place(folder))
        user             \(demo.name), password in \(demo.passwordFile)

      Try next, in another terminal:

        \(enroll)\(money)\(old)
      """, "demo", ["user": .text(demo.name), "passwordFile": .text(demo.passwordFile)])
  }
}

extension ListenAddress {
  fileprivate static let loopback = ListenAddress(host: "127.0.0.1", port: 8443)
}

/// The new certificate of a server that runs.
private struct Reloading: Sendable {
  let manager: ServiceManager?
  let server: EnrollmentServer
  let tls: TLSOptions
  let host: String
  let authority: CertificateAuthority
  let output: EventOptions

  func reload() {
    manager?.reloading()
    defer { manager?.ready() }
    do {
      let identity = try tls.identity(host: host, by: authority, now: Date())
      try server.reload(certificateChain: identity.chain, privateKey: identity.key)
      output.emit("New connections get the new certificate", "reloaded", ["chain": .integer(identity.chain.count)])
    } catch {
      let reason = (error as? CommandFailure)?.message ?? "\(error)"
      output.emit(nil, "notReloaded", ["reason": .text(reason)])
      StandardStreams.reportError("the certificate stays as it was: \(reason)")
    }
  }

  /// A certificate that the server issued itself is made again in time.
  func eachDay() async {
    while tls.isOwn {
      do { try await Task.sleep(for: .seconds(24 * 3600)) } catch { return }
      reload()
    }
  }
}
