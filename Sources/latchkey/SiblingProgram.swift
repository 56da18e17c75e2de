import Foundation
import LatchkeyCommandLine
import LatchkeyProcessEnvironment

/// A program that is installed beside this one, or somewhere in PATH.
struct SiblingProgram {
  let name: String

  /// Where it may be: beside this program, then in the folders of PATH.
  var candidates: [String] { ProgramFile.foldersOfSiblings.map { "\($0)/\(name)" } }

  /// Becomes the program, which gets this process's streams and terminal.
  ///
  /// - Throws: it cannot be executed, or it is nowhere, which `missing` says.
  func execute(_ arguments: [String], missing: CommandFailure) throws(CommandFailure) -> Never {
    for path in candidates {
      var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
      words.append(nil)
      defer { for word in words { free(word) } }
      // Comes back only if it fails.
      execv(path, words)
      guard errno == ENOENT || errno == ENOTDIR || errno == EACCES else {
        throw CommandFailure(.unavailable, "\(path) cannot be executed: \(String(cString: strerror(errno)))")
      }
    }
    throw missing
  }
}
