internal import LatchkeyEnrollmentStore
internal import Logging

/// A server's lease on its name among those that share a store. The name identifies its audit chain, so two servers with one
/// name would conflict. It is claimed before the first request, renewed while the server runs, and released at its end; a
/// killed server's lease expires, or passes to the same server when that starts again.
struct NodeLease: Sendable {
  /// The duration of a lease without renewal, in seconds.
  static let duration: Int64 = 60
  /// The interval of renewals.
  static let interval = Duration.seconds(15)

  let services: Services
  let holder: Identifier

  /// - Throws: ``NodeNameError`` if another server has the name.
  func claim() async throws {
    guard try await claimed() else { throw NodeNameError(name: services.configuration.node) }
  }

  /// Renews the lease until canceled.
  func hold() async {
    while true {
      do { try await Task.sleep(for: Self.interval) } catch { return }
      do {
        if try await !claimed() {
          services.logger.error(
            "another server has taken this one's name: give one of them another with --node",
            metadata: ["node": "\(services.configuration.node)"])
        }
      } catch {
        services.logger.warning("the server's name could not be prolonged", metadata: ["error": "\(error)"])
      }
    }
  }

  /// Releases the name.
  func release() async {
    let (name, holder) = (services.configuration.node, holder)
    do {
      try await services.store.write { try $0.releaseNode(name, holder: holder) }
    } catch {
      services.logger.warning(
        "the server's name could not be released, and is free in a minute", metadata: ["error": "\(error)"])
    }
  }

  private func claimed() async throws -> Bool {
    let (name, holder, now) = (services.configuration.node, holder, services.now)
    return try await services.store.write {
      try $0.claimNode(name, holder: holder, now: now, expires: now + Self.duration)
    }
  }
}

/// Another server has this name in the store.
public struct NodeNameError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name.
  public let name: String

  /// The remedy.
  public var description: String {
    "another server has the name \(name) in this store: give this one another with --node; a name whose server was killed is "
      + "free after a minute"
  }
}
