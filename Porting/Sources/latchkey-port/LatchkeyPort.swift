import ArgumentParser
import Foundation
import LatchkeyPorting

/// The program `latchkey-port`, which `swift package port` and `latchkey port` run.
@main struct LatchkeyPort: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "latchkey-port",
    abstract: "Port Swift sources for Apple's systems to Linux, as far as Objective-C keeps them from compiling.",
    discussion: """
      Prints a unified diff, and on standard error, as file:line, what is left for a person. Files change with --write alone, in a \
      clean working tree of git. Branches of #if for other systems stay as they are.

      Ends with 0 if all files were read, with 65 if some were left alone.
      """)

  @Argument(help: "The folder of the sources.", completion: .directory) var folder: String

  @Flag(help: "Write the changes, in a clean working tree of git.") var write = false

  @Option(
    help: ArgumentHelp("Write a ported copy of the folder to a new one.", valueName: "folder"), completion: .directory)
  var output: String?

  func validate() throws {
    if write && output != nil { throw ValidationError("--write and --output exclude each other") }
  }

  func run() throws {
    let command = self
    switch PortingThread.run({ Result { try command.port() } }) {
    case .success(true): return
    case .success(false): throw ExitCode(65)
    case .failure(let error):
      Report.write("latchkey-port: \(error)")
      throw ExitCode((error as? Refusal)?.status ?? 74)
    }
  }

  /// - Returns: whether all files were read.
  private func port() throws -> Bool {
    let sources = try SourceFolder(folder)
    let target: any PortTarget =
      if let output {
        try CopiedFolder(of: sources, at: output)
      } else if write {
        try WorkingTree(sources)
      } else {
        DiffOutput()
      }
    var report = Report()
    for skipped in sources.skipped { report.complain(skipped.path, nil, skipped.reason) }
    var survey = Survey()
    var readable: [String] = []
    for path in sources.files {
      do {
        survey.add(try SourceText(sources.bytes(of: path)))
        readable.append(path)
      } catch let error as PortingError {
        report.complain(path, error.line, "left alone: \(error.explanation)")
      } catch {
        report.complain(path, nil, "left alone: \(error)")
      }
    }
    for path in readable {
      do {
        let bytes = try sources.bytes(of: path)
        let port = try survey.port(SourceText(bytes))
        for remark in port.remarks { report.remark(path, remark) }
        if !port.edits.isEmpty {
          try target.take(path, bytes, port.edits)
          report.changed += 1
        }
      } catch let error as PortingError {
        report.complain(path, error.line, "left alone: \(error.explanation)")
      } catch {
        report.complain(path, nil, "left alone: \(error)")
      }
    }
    report.summarize(sources.files.count)
    return report.complaints == 0
  }
}
