import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollmentServer
import LatchkeyProcessEnvironment
import Logging

/// `latchkey-server serve --tenant …`: several enrollment services on one port.
struct TenantServing {
  private let command: ServeCommand
  private let logger: Logger

  init(_ command: ServeCommand) {
    self.command = command
    logger = command.log.logger(label: "latchkey-server")
  }

  func run() async throws {
    FreedBlocks.returnToSystem()
    OpenFiles.raiseLimit()
    let settings = try EffectiveSettings(Array(CommandLine.arguments.dropFirst()), environment: Environment.variables)
    let tenants = try TenantSettings.all(of: command, settings)
    let sockets = try PassedSockets.take(named: PassedSockets.ports(of: tenants.map(\.name)))
    let command = try command.taking(sockets)
    let prepared = try await prepare(tenants, sockets)
    let server = try self.server(command, sockets, tenants, prepared)
    let certificates = zip(tenants, prepared).map { tenant, prepared in
      ServedCertificate(tenant: tenant.name, prepared: prepared) {
        try server.reload(tenant: tenant.name, certificateChain: $0, privateKey: $1)
      }
    }
    do {
      try await ServerRun(output: command.output, logger: logger, certificates: certificates).run(server) {
        let port = try await server.port
        for (tenant, prepared) in zip(tenants, prepared) {
          let operations = try await server.operationsPort(of: tenant.name)
          let published = try await server.publicPort(of: tenant.name)
          Self.announce(tenant, prepared, port: port, operations: operations, published: published, command.output)
        }
        let url = command.listen.url(port: port)
        let names = tenants.map(\.name).joined(separator: ", ")
        command.output.emit(
          "Listening on \(url) for \(names)", "listening",
          ["url": .text(url), "tenants": .list(tenants.map { .text($0.name) })])
        return "Listening on \(url) for \(names)"
      }
    } catch let error as TenantError {
      throw CommandFailure(.unavailable, code: "notServing", ServeCommand.root(of: "\(error)", option: "another port"))
    } catch {
      throw CommandFailure(
        .unavailable, code: "notServing",
        "\(command.listen.host):\(command.listen.port) cannot be listened on, or the server failed: "
          + ServeCommand.root(of: "\(error)", option: "--listen"))
    }
  }

  private func prepare(_ tenants: [TenantSettings], _ sockets: PassedSockets) async throws -> [PreparedServer] {
    var prepared: [PreparedServer] = []
    for tenant in tenants {
      do {
        let own = sockets.of(tenant: tenant.name)
        // The store logs, too.
        var logger = logger
        logger[metadataKey: "tenant"] = "\(tenant.name)"
        prepared.append(try await PreparedServer(try tenant.command.taking(own), own, isTenant: true, logger: logger))
      } catch {
        throw CommandFailure(of: error).of(tenant: tenant.name)
      }
    }
    return prepared
  }

  private func server(
    _ command: ServeCommand, _ sockets: PassedSockets, _ tenants: [TenantSettings], _ prepared: [PreparedServer]
  ) throws -> TenantServer {
    var configuration = TenantServerConfiguration(
      tenants: zip(tenants, prepared).map { tenant, prepared in
        var configuration = prepared.configuration
        tenant.apply(connections: command.limits.connections, of: tenants.count, to: &configuration.limits)
        return Tenant(name: tenant.name, serverNames: prepared.command.tls.names, configuration: configuration)
      }, logger: logger)
    configuration.host = command.listen.host
    configuration.port = command.listen.port
    configuration.listeningSocket = sockets["https"]
    configuration.proxies = command.proxyFrom?.blocks ?? []
    configuration.defaultTenant = command.tenants.defaultTenant
    command.limits.apply(to: &configuration.limits)
    configuration.limits.handshakeTimeout = command.further.handshakeTimeout.seconds
    return try TenantServer(configuration)
  }

  private static func announce(
    _ tenant: TenantSettings, _ prepared: PreparedServer, port: Int, operations: Int?, published: Int?,
    _ output: EventOptions
  ) {
    let (command, folder) = (prepared.command, prepared.folder)
    let url = "https://\(command.tls.names[0]):\(port)"
    let health = operations.flatMap {
      command.operationsListen?.url(port: $0, scheme: command.adminCA == nil ? "http" : "https")
    }
    let published = published.flatMap { command.publication.publicListen?.url(port: $0, scheme: "http") }
    let (ca, store) = (command.authority.file(folder), command.store.place(folder))
    let others =
      (health.map { ", health and metrics on \($0)" } ?? "")
      + (published.map { ", certificates and their status on \($0)" } ?? "")
    output.emit(
      "\(tenant.name)  \(url)\(others), clients believe \(ca), store \(store)", "tenant",
      [
        "name": .text(tenant.name), "url": .text(url), "names": .list(command.tls.names.map { .text($0) }),
        "operations": health.map { .text($0) } ?? .null, "public": published.map { .text($0) } ?? .null,
        "ca": .text(ca), "store": .text(store), "node": .text(command.store.nodeName),
      ])
  }
}
