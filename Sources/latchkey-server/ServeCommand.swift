import ArgumentParser
import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore
import Logging

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

      Several organizations, each with its own settings, store and authority, share the port with --tenant; clients choose one by its TLS \
      name.

      With --json: tenant (name, url, names, operations, public, ca, store, node) for each, listening (url, operations, public, ca, store, node, authority; of \
      tenants url, tenants), demo (user, passwordFile), reloaded (chain), notReloaded (reason), both with tenant where there are some, stopping, done or error.
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
  @OptionGroup(title: "Tenants") var tenants: TenantOptions
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
      if tenants.isGiven { try await TenantServing(self).run() } else { try await serve() }
    } catch {
      let failure = CommandFailure(of: error)
      if output.json {
        output.emit(nil, "error", ["code": .text(failure.code), "message": .text(failure.message)])
      }
      throw failure
    }
    output.emit(nil, "done")
  }

  private func serve() async throws {
    FreedBlocks.returnToSystem()
    OpenFiles.raiseLimit()
    let sockets = try PassedSockets.take(named: PassedSockets.ports)
    try await taking(sockets).serve(sockets)
  }

  private func serve(_ sockets: PassedSockets) async throws {
    let logger = log.logger(label: "latchkey-server")
    warn()
    let prepared = try await PreparedServer(self, sockets, logger: logger)
    let server = try EnrollmentServer(prepared.configuration)
    let certificate = ServedCertificate(tenant: nil, prepared: prepared) {
      try server.reload(certificateChain: $0, privateKey: $1)
    }
    do {
      try await ServerRun(output: output, logger: logger, certificates: [certificate]).run(server) {
        let port = try await server.port
        let (operations, published) = (try await server.operationsPort, try await server.publicPort)
        announce(port: port, operations: operations, published: published, folder: prepared.folder, demo: prepared.demo)
        return "Listening on \(listen.url(port: port))"
      }
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

  /// Whether nothing was said of store and authority: then there is a user to try things with.
  var isUnconfigured: Bool { store.store == nil && authority.ca == nil }

  /// The cause of a failure to listen, with its remedy.
  static func root(of text: String, option: String) -> String {
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
