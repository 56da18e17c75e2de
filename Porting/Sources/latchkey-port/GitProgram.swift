import Foundation

/// git, as far as this program needs it.
enum GitProgram {
  /// Runs git in a folder, and returns what it prints. No monitor that the repository names is started.
  ///
  /// - Throws: a ``Refusal``: it cannot be started, or fails.
  static func output(of arguments: [String], in folder: URL) throws -> Data {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["git", "-C", folder.path, "--no-optional-locks", "-c", "core.fsmonitor=false"] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      throw Refusal.notClean("git cannot be started")
    }
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Refusal.notClean("git \(arguments.first ?? "") fails in \(folder.path): is it in a repository?")
    }
    return data
  }
}
