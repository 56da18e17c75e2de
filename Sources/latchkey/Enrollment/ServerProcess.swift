import Foundation
import LatchkeyCommandLine
import LatchkeyProcessEnvironment
import LatchkeySystem

/// A `latchkey-server` that runs beside this process, which reads its lines and ends it.
final class ServerProcess: Sendable {
  /// A line of `serve --json`.
  struct Event: Decodable, Sendable {
    var event: String
    var url: String?
    var ca: String?
    var user: String?
    var passwordFile: String?
    var message: String?
  }

  private let process: SpawnedProgram
  /// One reads its lines, one waits for its end.
  private let threads = BlockingThreads(label: "latchkey.server", width: 2)
  private let ended: AsyncStream<Void>
  private let events: AsyncStream<Event>

  /// A server that writes more without a newline has no more lines for this process.
  private static let longestLine = 1 << 20

  /// The program, beside this one or in PATH; nil if it is nowhere.
  static var program: String? {
    SiblingProgram(name: "latchkey-server").candidates.first { access($0, X_OK) == 0 }
  }

  /// Starts `program` on a port of its own choice, with all that it keeps in `folder`.
  init(_ program: String, folder: String) throws(CommandFailure) {
    let configuration = ProgramConfiguration(
      path: program, arguments: ["serve", "--sample-bank", "--listen", "127.0.0.1:0", "--state", folder, "--json"],
      environment: Environment.forPrograms, output: .captured, isolation: .group)
    do {
      process = try SpawnedProgram(configuration)
    } catch {
      throw CommandFailure(.unavailable, "\(program) cannot be started")
    }
    let (ended, end) = AsyncStream<Void>.makeStream()
    self.ended = ended
    let (events, continuation) = AsyncStream<Event>.makeStream()
    self.events = events
    threads.perform { [process] in
      _ = process.wait()
      end.finish()
    }
    threads.perform { [process] in
      var rest: [UInt8] = []
      process.read { piece in
        rest += piece
        while let newline = rest.firstIndex(of: UInt8(ascii: "\n")) {
          if let event = try? JSONDecoder().decode(Event.self, from: Data(rest[..<newline])) {
            continuation.yield(event)
          }
          rest.removeSubrange(...newline)
        }
        return rest.count <= Self.longestLine
      }
      continuation.finish()
    }
  }

  /// Waits until it listens: its address, the file of its authority, and the user to try things with.
  func listening() async throws -> (url: String, ca: String, user: String, passwordFile: String) {
    var address: (url: String, ca: String)?
    for await event in events {
      if event.event == "listening", let url = event.url, let ca = event.ca { address = (url, ca) }
      if event.event == "demo", let address, let user = event.user, let file = event.passwordFile {
        return (address.url, address.ca, user, file)
      }
      if event.event == "error" {
        throw CommandFailure(.unavailable, "latchkey-server: \(event.message ?? "it failed")")
      }
    }
    try Task.checkCancellation()
    throw CommandFailure(.unavailable, "latchkey-server ended before it listened")
  }

  /// Ends it, and waits until it is gone.
  func stop() async {
    process.signal(SIGTERM)
    // A canceled caller waits all the same: nothing is left running.
    let ended = ended
    await Task.detached { for await _ in ended {} }.value
  }
}
