import ArgumentParser
import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollmentPostgres
import LatchkeyEnrollmentStore
import Logging

/// Which store a command works on.
struct StoreOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "sqlite:PATH, or postgres://USER@HOST/DATABASE; else SQLite in the state folder.", valueName: "place"))
  var store: String?
  @Option(
    help: ArgumentHelp(
      "The server's folder; else $XDG_STATE_HOME/latchkey/server, or ~/.local/state/latchkey/server.",
      valueName: "folder"))
  var state: String?
  @Option(help: ArgumentHelp("This server's name in the audit chain; else the machine's.", valueName: "name"))
  var node: String?
  @Option(
    help: ArgumentHelp(
      "A file with options of serve, JSON: {\"listen\": \"0.0.0.0:8443\"}. The command line and LATCHKEY_SERVER_… come first.",
      valueName: "file"))
  var config: String?

  func folder() throws(CommandFailure) -> StateFolder { try StateFolder(state) }

  /// The folder, for a command that makes none. Where only the store is named, there need not be one.
  func existingFolder() throws(CommandFailure) -> StateFolder {
    try StateFolder(state, absence: state == nil && store != nil ? .isLeft : .fails)
  }

  func validate() throws {
    do throws(EnrollmentStoreError) { try NodeName.check(nodeName) } catch {
      throw ValidationError(CommandFailure(of: error).message)
    }
  }

  var nodeName: String {
    let name = node ?? ProcessInfo.processInfo.hostName
    // As it is in the chain, however it was typed.
    return name.isEmpty ? "server" : name.precomposedStringWithCanonicalMapping
  }

  /// Where the store is, for people; without a password.
  func place(_ folder: StateFolder) -> String {
    store.map(Self.withoutPassword) ?? "sqlite:\(folder.path("server.db"))"
  }

  /// A store's address without its passwords: of the user, and among the parameters (libpq's `password`, `sslpassword` and the like).
  static func withoutPassword(_ store: String) -> String {
    guard !store.hasPrefix("sqlite:") else { return store }
    guard let scheme = store.range(of: "://") else {
      // No address of a store: what it was meant to be is not known, so nor is where a password is.
      return store.contains("@") || store.lowercased().contains("pass") ? "***" : store
    }
    var shown = store
    if let at = store.lastIndex(of: "@"), at >= scheme.upperBound {
      let user = store[scheme.upperBound..<at].prefix { $0 != ":" }
      shown = String(store[..<scheme.upperBound] + user + store[at...])
    }
    guard let question = shown.firstIndex(of: "?") else { return shown }
    let parameters = shown[shown.index(after: question)...].split(separator: "&", omittingEmptySubsequences: false)
    return shown[...question] + parameters.map { Self.withoutSecret($0) }.joined(separator: "&")
  }

  /// A parameter of an address; without its value if that is a password, or may be the rest of one.
  private static func withoutSecret(_ parameter: Substring) -> String {
    guard let equals = parameter.firstIndex(of: "=") else { return parameter.isEmpty ? "" : "***" }
    let name = parameter[..<equals]
    let decoded = name.removingPercentEncoding?.lowercased() ?? "password"
    let isSecret = ["password", "secret", "token"].contains { decoded.contains($0) }
    return isSecret ? "\(name)=***" : String(parameter)
  }

  /// Opens the store.
  ///
  /// - Parameters:
  ///   - node: the name in the audit chain.
  ///   - isMade: whether a database is made where there is none.
  func open(
    _ folder: StateFolder, node: String, isMade: Bool = true, logger: Logger
  ) throws -> any EnrollmentStore {
    let place = store ?? "sqlite:\(folder.path("server.db"))"
    do {
      if place.hasPrefix("sqlite:") {
        let path = String(place.dropFirst("sqlite:".count))
        guard isMade || FileManager.default.fileExists(atPath: path) else {
          throw CommandFailure(
            .inputOutput, code: "noStore",
            "there is no database \(path): give the server's --state or --store; serve and user add make one")
        }
        return try SQLiteStore(path: path, node: node, isMade: isMade)
      }
      if place.hasPrefix("postgres://") || place.hasPrefix("postgresql://") {
        #if PostgreSQL
          return try PostgresStore(
            try PostgresAddress(url: place), node: node,
            revocations: folder.isThere ? folder.path("postgres.revocations") : nil, isMade: isMade, logger: logger)
        #else
          throw CommandFailure(
            .unavailable, code: "noPostgreSQL",
            "this program was built without PostgreSQL: build it with swift build --traits default,PostgreSQL")
        #endif
      }
    } catch {
      throw CommandFailure(of: error)
    }
    throw CommandFailure(.usage, "--store is sqlite:PATH or postgres://USER@HOST/DATABASE")
  }

  /// Opens the store for an operator's command, and closes it. The command is recorded in a chain of its own, beside a server's that runs.
  ///
  /// - Parameter isMade: whether the store, and the folder if it lies there, are made where there are none; else a mistyped name is
  ///   an error, and not an empty store of which all is well.
  func using(isMade: Bool = false, _ body: (any EnrollmentStore) async throws -> Void) async throws {
    let logger = Logger(label: "latchkey-server", factory: { StreamLogHandler.standardError(label: $0) })
    let store = try open(
      isMade && (store == nil || state != nil) ? folder() : existingFolder(), node: "\(nodeName)-operator",
      isMade: isMade, logger: logger)
    do {
      try await body(store)
    } catch {
      await store.close()
      throw error
    }
    await store.close()
  }
}
