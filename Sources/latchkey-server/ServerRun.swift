import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollmentServer
import Logging
import ServiceLifecycle

/// A server that runs until a signal ends it, with all that the signals and the service manager want of it.
struct ServerRun: Sendable {
  let output: EventOptions
  let logger: Logger
  let certificates: [ServedCertificate]

  /// Runs the server.
  ///
  /// - Parameter listening: waits until it listens, says so, and gives the service manager's status.
  func run(_ server: some Service, listening: @escaping @Sendable () async throws -> String) async throws {
    let group = ServiceGroup(
      configuration: .init(
        services: [.init(service: server, successTerminationBehavior: .gracefullyShutdownGroup)], logger: logger))
    let manager = ServiceManager()
    let signals = ServerSignals { [output] in
      output.emit(nil, "stopping")
      manager?.stopping()
      Task { await group.triggerGracefulShutdown() }
    } reload: {
      manager?.reloading()
      for certificate in certificates { certificate.reload(output) }
      manager?.ready()
    }
    defer { signals.cancel() }
    let announced = Task {
      guard let status = try? await listening() else { return }
      manager?.ready(status)
    }
    defer { announced.cancel() }
    let renewing = Task { await eachDay() }
    defer { renewing.cancel() }
    let living = Task { await manager?.keepAlive() }
    defer { living.cancel() }
    try await group.run()
  }

  /// Certificates that the server issued itself are made again in time.
  private func eachDay() async {
    let own = certificates.filter(\.isOwn)
    while !own.isEmpty {
      do { try await Task.sleep(for: .seconds(24 * 3600)) } catch { return }
      for certificate in own { certificate.reload(output) }
    }
  }
}

/// The certificate of a server that runs, or of a tenant.
struct ServedCertificate: Sendable {
  /// The tenant's name; nil if there is one server alone.
  let tenant: String?
  let prepared: PreparedServer
  /// Whether the server issued it itself.
  var isOwn: Bool { prepared.command.tls.isOwn }
  /// Uses a certificate with its key.
  let use: @Sendable (_ chain: [[UInt8]], _ key: [UInt8]) throws -> Void

  /// Reads it again.
  func reload(_ output: EventOptions) {
    let of = tenant.map { " of \($0)" } ?? ""
    do {
      let identity = try prepared.renewedIdentity()
      try use(identity.chain, identity.key)
      var fields: [(key: String, value: JSONLine.Value)] = [("chain", .integer(identity.chain.count))]
      if let tenant { fields.append(("tenant", .text(tenant))) }
      output.emit("New connections\(of) get the new certificate", "reloaded", fields: fields)
    } catch {
      let reason = (error as? CommandFailure)?.message ?? "\(error)"
      var fields: [(key: String, value: JSONLine.Value)] = [("reason", .text(reason))]
      if let tenant { fields.append(("tenant", .text(tenant))) }
      output.emit(nil, "notReloaded", fields: fields)
      StandardStreams.reportError("the certificate\(of) stays as it was: \(reason)")
    }
  }
}
