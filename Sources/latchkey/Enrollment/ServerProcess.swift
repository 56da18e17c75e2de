import Foundation
import LatchkeyCommandLine
import LatchkeyProcessEnvironment

/// A `latchkey-server` that runs beside this process, told by its lines, and ended with it.
///
/// Unchecked: the process is only started and signaled here.
final class ServerProcess: @unchecked Sendable {
  /// A line of `serve --json`.
  struct Event: Decodable, Sendable {
    var event: String
    var url: String?
    var ca: String?
    var user: String?
    var passwordFile: String?
    var message: String?
  }

  private let process = Process()
  private let ended: AsyncStream<Void>
  private let events: AsyncStream<Event>

  /// The program, beside this one or in PATH; nil if it is nowhere.
  static var program: String? {
    candidates.first { access($0, X_OK) == 0 }
  }

  /// Where it may be: beside this program, then in the folders of PATH.
  static var candidates: [String] { ProgramFile.foldersOfSiblings.map { $0 + "/latchkey-server" } }

  /// Starts `program` on a port of its own choice, with all that it keeps in `folder`.
  init(_ program: String, folder: String) throws(CommandFailure) {
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = ["serve", "--listen", "127.0.0.1:0", "--state", folder, "--json"]
    process.standardInput = FileHandle.nullDevice
    let output = Pipe()
    process.standardOutput = output
    let (ended, end) = AsyncStream<Void>.makeStream()
    self.ended = ended
    process.terminationHandler = { _ in end.finish() }
    let (events, continuation) = AsyncStream<Event>.makeStream()
    self.events = events
    do {
      try process.run()
    } catch {
      throw CommandFailure(.unavailable, "\(program) cannot be started")
    }
    Thread.detachNewThread {
      var rest: [UInt8] = []
      while true {
        let chunk = output.fileHandleForReading.availableData
        guard !chunk.isEmpty else { break }
        rest += chunk
        while let newline = rest.firstIndex(of: UInt8(ascii: "\n")) {
          if let event = try? JSONDecoder().decode(Event.self, from: Data(rest[..<newline])) {
            continuation.yield(event)
          }
          rest.removeSubrange(...newline)
        }
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
    if process.isRunning { process.terminate() }
    // A cancelled caller waits all the same: nothing is left running.
    let ended = ended
    await Task.detached { for await _ in ended {} }.value
  }
}
