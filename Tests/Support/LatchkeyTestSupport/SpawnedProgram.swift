package import Foundation

/// A program that was started with one end of a socket as its standard input and output.
///
/// It inherits no other open file of this process, and other programs that start at the same time do not inherit the socket: each
/// of them would delay the end of the output that a test reads.
package struct SpawnedProgram: Sendable {
  /// The program's process, which the caller must wait for.
  package let process: pid_t
  /// The other end of the socket, which the caller must close.
  package let line: CInt

  /// Why no program was started.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// - Parameter hasOwnGroup: whether the program starts a process group of its own, so that an interrupt at the terminal does not
  ///   reach it.
  package init(_ path: String, _ arguments: [String], hasOwnGroup: Bool = false) throws(Failure) {
    var ends: [CInt] = [0, 0]
    let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
      throw Failure(description: "socketpair: \(String(cString: strerror(errno)))")
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    do {
      try TestProcess.closeFiles(from: STDERR_FILENO + 1, in: &actions)
    } catch {
      for end in ends { close(end) }
      throw Failure(description: "\(error)")
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    if hasOwnGroup { posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP)) }
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process = pid_t()
    let code = posix_spawn(&process, path, &actions, &attributes, &words, environ)
    close(ends[1])
    guard code == 0 else {
      close(ends[0])
      throw Failure(description: "\(path): \(String(cString: strerror(code)))")
    }
    self.process = process
    line = ends[0]
  }
}
