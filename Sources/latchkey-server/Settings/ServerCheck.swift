import ArgumentParser
import Foundation
import LatchkeyCertificateAuthority
import LatchkeyCommandLine
import LatchkeyEnrollmentPostgres
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore
import LatchkeyProcessEnvironment
import Logging

/// `latchkey-server serve --check`: what a start would find, without one. Nothing is made, changed or listened on.
struct ServerCheck {
  private let command: ServeCommand

  init(_ command: ServeCommand) { self.command = command }

  /// Prints the settings and what is wrong with them.
  ///
  /// - Throws: `ExitCode` with the status of the first failure.
  func run() async throws {
    let settings = try EffectiveSettings(
      Array(CommandLine.arguments.dropFirst()), environment: Environment.variables)
    for entry in settings.entries { show(entry, of: nil) }
    for name in settings.unknownVariables {
      note("\(name) names no option of serve, and is ignored", "ignored", ["variable": .text(name)])
    }
    let failures = command.tenants.isGiven ? await tenantFailures(settings) : await failures()
    for failure in failures {
      command.output.emit(nil, "problem", ["code": .text(failure.code), "message": .text(failure.message)])
      StandardStreams.reportError(failure.message)
    }
    guard let first = failures.first else {
      command.output.emit("The configuration is good", "done")
      return
    }
    command.output.emit(nil, "error", ["code": .text(first.code), "message": .text(first.message)])
    throw ExitCode(first.status.rawValue)
  }

  private func show(_ entry: EffectiveSettings.Entry, of tenant: String?) {
    let values = entry.values.map(entry.setting.shown)
    command.output.emit(
      "\(tenant.map { "\($0): " } ?? "")\(entry.setting.key)  \(values.isEmpty ? "(none)" : values.joined(separator: ", "))  (\(entry.origin))",
      "setting",
      fields: [
        ("name", .text(entry.setting.key)), ("values", .list(values.map { .text($0) })),
        ("origin", .text("\(entry.origin)")),
      ] + (tenant.map { [("tenant", .text($0))] } ?? []))
  }

  private func note(_ text: String, _ event: String, _ fields: KeyValuePairs<String, JSONLine.Value>) {
    command.output.emit(nil, event, fields)
    StandardStreams.reportError(text)
  }

  /// The failures of all tenants; their settings are printed.
  private func tenantFailures(_ settings: EffectiveSettings) async -> [CommandFailure] {
    do {
      let tenants = try TenantSettings.all(of: command, settings)
      let sockets = try PassedSockets.take(named: PassedSockets.ports(of: tenants.map(\.name)))
      var failures: [CommandFailure] = []
      for tenant in tenants {
        for entry in tenant.entries { show(entry, of: tenant.name) }
        failures += await Self(tenant.command).failures(sockets.of(tenant: tenant.name), isTenant: true).map {
          $0.of(tenant: tenant.name)
        }
      }
      return failures
    } catch {
      return [CommandFailure(of: error)]
    }
  }

  /// What would keep the server from starting, or from doing what it is asked.
  private func failures(_ given: PassedSockets? = nil, isTenant: Bool = false) async -> [CommandFailure] {
    var failures: [CommandFailure] = []
    @discardableResult func attempt<T>(_ body: () throws -> T?) -> T? {
      do { return try body() } catch {
        failures.append(CommandFailure(of: error))
        return nil
      }
    }
    let sockets = given ?? attempt { try PassedSockets.take(named: PassedSockets.ports) }
    let command = sockets.flatMap { sockets in attempt { try self.command.taking(sockets) } } ?? self.command
    let folder = attempt { try StateFolder(command.store.state, absence: .isLeft) }
    var authority: CertificateAuthority?
    if let folder {
      authority = attempt { try command.authority.given(folder) }
      _ = attempt { try AnswerKey.known(folder) }
    }
    let trusted = attempt { try command.tls.alsoTrusted() } ?? []
    if let authority {
      attempt {
        let identity = try command.tls.identity(
          host: isTenant ? nil : command.listen.host, by: authority, now: Date())
        try Self.validate(identity, authority, trusted, named: command.tls.certificate ?? "the server's certificate")
      }
      if authority.notAfter < Date() {
        failures.append(
          CommandFailure(
            .badData, code: "authorityEnded",
            "the authority's certificate ended on \(authority.notAfter.formatted(.iso8601)): give a new one of the same key by --ca"
          ))
      }
    }
    let previous = attempt { try command.publication.previousAuthority() }
    _ = attempt { try command.named.authorities(besides: [authority, previous].compactMap { $0 }) }
    attempt { try command.adminCA.map { try ServerFile.certificates($0) } }
    attempt {
      var policy = ServerPolicy()
      try command.attestation.apply(to: &policy)
    }
    // A secret that is asked for, or comes by standard input, is not there yet.
    if !command.bank.legacy.isLegacy || command.bank.legacy.isAnsweredByFiles {
      _ = attempt { try command.bank.service() }
    }
    if let operations = command.operationsListen, operations.port != 0, operations.port == command.listen.port,
      operations.host == command.listen.host
    {
      failures.append(
        CommandFailure(
          .usage, code: "samePort", "--listen and --admin-listen are the same: give each its own port"))
    }
    if let folder { attempt { try command.store.validate(folder) } }
    return failures
  }

  private static func validate(
    _ identity: (chain: [[UInt8]], key: [UInt8]), _ authority: CertificateAuthority, _ trusted: [[UInt8]], named: String
  ) throws(CommandFailure) {
    do {
      try EnrollmentServer.validate(
        certificateChain: identity.chain, privateKey: identity.key, authorities: authority.chain + trusted)
    } catch {
      throw CommandFailure(
        .badData, code: "badCertificate", "\(named) and its key do not match, or are damaged: \(error)")
    }
  }
}

extension AuthorityOptions {
  /// The authority of the options or of the folder; nil where the first start would make one.
  func given(_ folder: StateFolder) throws -> CertificateAuthority? {
    do {
      return try existing(folder)
    } catch let failure as CommandFailure where failure.code == "noAuthority" {
      return nil
    }
  }
}

extension LegacyEnrollmentOptions {
  /// Whether both keys are in files: reading them asks nobody.
  var isAnsweredByFiles: Bool {
    isLegacy && [encryptionKey, macKey].allSatisfy { $0?.hasPrefix("@") == true }
  }
}

extension StoreOptions {
  /// Validates that the store can be opened by this program; changes nothing. One that the first start makes is good.
  ///
  /// - Returns: the version of the store; nil where there is none.
  @discardableResult func validate(_ folder: StateFolder) throws -> Int? {
    let place = store ?? "sqlite:\(folder.path("server.db"))"
    do {
      guard place.hasPrefix("sqlite:") else {
        return try validateDatabase(place)
      }
      let path = String(place.dropFirst("sqlite:".count))
      guard FileManager.default.fileExists(atPath: path) else { return nil }
      return try SQLiteStore.validate(path: path)
    } catch {
      throw CommandFailure(of: error)
    }
  }
}

extension StoreOptions {
  private func validateDatabase(_ place: String) throws -> Int? {
    guard place.hasPrefix("postgres://") || place.hasPrefix("postgresql://") else {
      throw CommandFailure(.usage, "--store is sqlite:PATH or postgres://USER@HOST/DATABASE")
    }
    #if PostgreSQL
      let logger = Logger(label: "latchkey-server", factory: { StreamLogHandler.standardError(label: $0) })
      return try PostgresStore.validate(try PostgresAddress(url: place), logger: logger)
    #else
      throw CommandFailure(
        .unavailable, code: "noPostgreSQL",
        "this program was built without PostgreSQL: build it with swift build --traits default,PostgreSQL")
    #endif
  }
}
