import ArgumentParser
import Foundation
import LatchkeyCommandLine
import LatchkeyProcessEnvironment

/// `latchkey serve`: executes `latchkey-server`, which is a program of its own so that this one stays small.
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Run the enrollment server, or its operator's commands: executes latchkey-server.",
    discussion: """
      Everything behind `serve` goes to latchkey-server: `latchkey serve --help` shows the options of serving, `latchkey serve help` \
      lists the operator's commands, and `latchkey serve user add NAME` is one of them. Without anything it serves on loopback and \
      prints what to try next.
      """,
    examples: ["latchkey serve", "latchkey serve user add alice", "latchkey serve help"],
    statuses: [.badData, .unavailable, .tryLater])

  @Argument(parsing: .captureForPassthrough, help: "Arguments of latchkey-server.") var arguments: [String] = []

  func run() throws {
    // The program's own help lists its commands; behind `serve` the options of serving are looked for.
    let isHelp = arguments == ["--help"] || arguments == ["-h"]
    for path in ServerProcess.candidates {
      var words: [UnsafeMutablePointer<CChar>?] = ([path] + (isHelp ? ["serve"] : []) + arguments).map { strdup($0) }
      words.append(nil)
      defer { for word in words { free(word) } }
      // Comes back only if it fails.
      execv(path, words)
      guard errno == ENOENT || errno == ENOTDIR || errno == EACCES else {
        throw CommandFailure(.unavailable, "\(path) cannot be executed: \(String(cString: strerror(errno)))")
      }
    }
    throw CommandFailure(
      .unavailable, code: "noServer",
      "latchkey-server is neither beside this program nor in PATH: build it with swift build --product latchkey-server")
  }
}
