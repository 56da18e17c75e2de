import ArgumentParser
import LatchkeyCommandLine

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
    try SiblingProgram(name: "latchkey-server").execute(
      (isHelp ? ["serve"] : []) + arguments,
      missing: CommandFailure(
        .unavailable, code: "noServer",
        "latchkey-server is neither beside this program nor in PATH: build it with swift build --product latchkey-server"
      ))
  }
}
