import ArgumentParser
import LatchkeyCommandLine

/// `latchkey port`: executes `latchkey-port`, which is of a package of its own, since it stands on swift-syntax.
struct PortCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "port",
    abstract:
      "Port Swift sources for Apple's systems, as far as Objective-C keeps them from compiling: executes latchkey-port.",
    discussion: """
      Prints a unified diff, and on standard error, as file:line, what is left for a person. Files change with --write alone, in a \
      clean working tree of git. Branches of #if for other systems stay as they are.
      """,
    examples: ["latchkey port .", "latchkey port Sources --write", "latchkey port . --output ../App-on-Linux"],
    statuses: [.badData, .unavailable])

  @Argument(help: "The folder of the sources.", completion: .directory) var folder: String
  @Flag(help: "Write the changes, in a clean working tree of git.") var write = false
  @Option(
    help: ArgumentHelp("Write a ported copy of the folder to a new one.", valueName: "folder"), completion: .directory)
  var output: String?

  func validate() throws {
    if write && output != nil { throw ValidationError("--write and --output exclude each other") }
  }

  func run() throws {
    var arguments = write ? ["--write"] : []
    if let output { arguments += ["--output=\(output)"] }
    try SiblingProgram(name: "latchkey-port").execute(
      arguments + ["--", folder],
      missing: CommandFailure(
        .unavailable, code: "noPortingProgram",
        """
        latchkey-port is neither beside this program nor in PATH: build it from the sources of Latchkey with \
        swift build --package-path Porting --product latchkey-port
        """))
  }
}
