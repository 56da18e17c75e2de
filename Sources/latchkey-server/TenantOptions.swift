import ArgumentParser
import CoreFoundation
import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollmentServer

/// Several enrollment services on one port, each by a settings file of its own.
struct TenantOptions: ParsableArguments {
  @Option(
    name: .customLong("tenant"),
    help: ArgumentHelp(
      """
      A tenant: its name and its settings, a file as of --config with state, tls-name and what else is its own; may be repeated. Clients \
      choose it by one of its TLS names.
      """, valueName: "name=file"))
  var files: [String] = []
  @Option(
    help: ArgumentHelp(
      "The tenant of clients that name none; else they are refused, as are those that name an unknown one.",
      valueName: "name"))
  var defaultTenant: String?

  /// Whether there are tenants.
  var isGiven: Bool { !files.isEmpty }

  func validate() throws {
    guard files.allSatisfy({ $0.contains("=") && !$0.hasSuffix("=") }) else {
      throw ValidationError("--tenant is a name and a file: red=/etc/latchkey/red.json")
    }
    guard defaultTenant == nil || isGiven else { throw ValidationError("--default-tenant goes with --tenant") }
  }
}

/// A tenant by its settings.
struct TenantSettings {
  let name: String
  let path: String
  /// What its file says.
  let entries: [EffectiveSettings.Entry]
  let command: ServeCommand

  /// The options of the port and the process, which stand beside `--tenant`.
  private static let shared: Set<String> = [
    "tenant", "default-tenant", "listen", "proxy-from", "connections", "connections-per-address", "handshake-timeout",
    "log-format", "log-level", "json",
  ]
  /// Those of them that a tenant may have, too, for itself.
  private static let both: Set<String> = ["connections", "connections-per-address", "handshake-timeout"]

  /// Reads the settings of all tenants of a command.
  ///
  /// - Parameter settings: where the command's own settings come from.
  /// - Throws: what is wrong with a file, named with its tenant; options in the wrong place; names, folders and stores that two share.
  static func all(of command: ServeCommand, _ settings: EffectiveSettings) throws -> [TenantSettings] {
    for entry in settings.entries where entry.origin != .standard && !shared.contains(entry.setting.key) {
      throw CommandFailure(
        .usage, code: "notShared",
        "\(entry.place) is not for all tenants: set \(entry.setting.key) in the settings of each, beside --tenant")
    }
    let all = try command.tenants.files.map { text in
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      return try one(parts[0], parts.count == 2 ? parts[1] : "")
    }
    do throws(TenantError) {
      try TenantServerConfiguration.validate(
        names: all.map { (tenant: $0.name, serverNames: $0.command.tls.names) },
        defaultTenant: command.tenants.defaultTenant)
    } catch {
      if case .noServerName(let tenant) = error {
        throw CommandFailure(.usage, code: "badTenant", "\(error): give tls-name in the settings of \(tenant)")
      }
      throw CommandFailure(.usage, code: "badTenant", "\(error)")
    }
    try checkPlaces(all)
    return all
  }

  private static func one(_ name: String, _ path: String) throws -> TenantSettings {
    do {
      let words = ["serve", "--config", path]
      guard let command = try LatchkeyServer.configured(words, environment: [:]) as? ServeCommand else {
        throw CommandFailure(.usage, "\(path) is not read as settings of serve")
      }
      let entries = try EffectiveSettings(words, environment: [:]).entries.filter { $0.origin != .standard }
      for entry in entries where shared.contains(entry.setting.key) && !both.contains(entry.setting.key) {
        throw CommandFailure(
          .usage, code: "notATenants", "\(entry.place) is for all tenants: give it beside --tenant")
      }
      return TenantSettings(name: name, path: path, entries: entries, command: command)
    } catch let failure as CommandFailure {
      throw failure.of(tenant: name)
    } catch {
      throw CommandFailure(.usage, code: "badSetting", LatchkeyServer.message(for: error)).of(tenant: name)
    }
  }

  /// Tenants share no folder, and no store as far as its name shows; the rest shows when the server starts.
  private static func checkPlaces(_ all: [TenantSettings]) throws(CommandFailure) {
    var (folders, stores): ([String: String], [String: String]) = ([:], [:])
    for tenant in all {
      guard let state = tenant.command.store.state else {
        throw CommandFailure(.usage, code: "badTenant", "there is no folder of its own: give state").of(
          tenant: tenant.name)
      }
      if let other = folders.updateValue(tenant.name, forKey: identity(of: state)) {
        throw CommandFailure(
          .usage, code: "sharedState",
          "the tenants \(other) and \(tenant.name) have one state folder: give each its own")
      }
      let place = tenant.command.store.store ?? "sqlite:\(state)/server.db"
      let key = place.hasPrefix("sqlite:") ? identity(of: String(place.dropFirst("sqlite:".count))) : place
      if let other = stores.updateValue(tenant.name, forKey: key) {
        throw CommandFailure(
          .usage, code: "sharedStore", "the tenants \(other) and \(tenant.name) have one store: give each its own")
      }
    }
  }

  /// What is the same for two paths of one file.
  private static func identity(of path: String) -> String {
    var about = stat()
    if stat(path, &about) == 0 { return "\(about.st_dev) \(about.st_ino)" }
    return URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
  }

  /// The tenant's own limit of connections: what its settings say, else an even share of the port's, so that no tenant takes the others'.
  func apply(connections: Int, of count: Int, to limits: inout ServerLimits) {
    guard !entries.contains(where: { $0.setting.key == "connections" }) else { return }
    limits.connections = max(1, connections / count)
  }
}

extension CommandFailure {
  /// The failure, of a tenant.
  func of(tenant: String) -> CommandFailure {
    CommandFailure(status, code: code, "tenant \(TenantOptions.shown(tenant)): \(message)")
  }
}

extension TenantOptions {
  /// A name of the command line in a message.
  static func shown(_ name: String) -> String {
    String(
      name.unicodeScalars.prefix(64).map { $0.isASCII && $0.value >= 0x20 && $0.value < 0x7F ? Character($0) : "?" })
  }
}
