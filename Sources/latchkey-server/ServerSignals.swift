import Dispatch
import Foundation

/// SIGINT and SIGTERM end the server gracefully, a second one at once; SIGHUP is for certificates that changed.
final class ServerSignals {
  private let sources: [any DispatchSourceSignal]

  init(end: @escaping @Sendable () -> Void, reload: @escaping @Sendable () -> Void) {
    let queue = DispatchQueue(label: "latchkey-server.signals")
    nonisolated(unsafe) var isEnding = false
    // A source is registered some time after it is activated; a signal that comes before would be lost.
    let registered = DispatchGroup()
    sources = [SIGINT, SIGTERM, SIGHUP].map { number in
      // Without this the default action would still end the process.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        if number == SIGHUP { return reload() }
        if isEnding { Foundation.exit(128 + number) }
        isEnding = true
        end()
      }
      registered.enter()
      source.setRegistrationHandler { registered.leave() }
      source.activate()
      return source
    }
    registered.wait()
  }

  func cancel() { for source in sources { source.cancel() } }
}
