#if PostgreSQL
  import Foundation
  import Testing

  /// The PostgreSQL that the tests of this process share: the one that LATCHKEY_TEST_POSTGRES names, or else one that
  /// `Scripts/with-postgres` starts at first use. That one ends with this process, however it ends: the script waits on a
  /// pipe whose other end nobody else has.
  enum TestServer {
    /// Its URL; nil, said once, where none is installed.
    static let url: String? = {
      if let url = ProcessInfo.processInfo.environment["LATCHKEY_TEST_POSTGRES"] { return url }
      do {
        return try started()
      } catch {
        print("tests on PostgreSQL are skipped: \(error)")
        return nil
      }
    }()

    static var isThere: Bool { url != nil }

    struct NotThere: Error, CustomStringConvertible { let description: String }

    /// The script, from wherever this file stands (other tests take it in by a symbolic link).
    private static func script() throws -> String {
      var folder = URL(filePath: #filePath).deletingLastPathComponent()
      while folder.path.count > 1 {
        let path = folder.appending(path: "Scripts/with-postgres").path
        if FileManager.default.isExecutableFile(atPath: path) { return path }
        folder.deleteLastPathComponent()
      }
      throw NotThere(description: "Scripts/with-postgres is not above \(#filePath)")
    }

    private static func started() throws -> String {
      let script = try script()
      var ends: [CInt] = [0, 0]
      let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
      guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw NotThere(description: "no socket pair") }
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO)
      posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
      // A process group of its own: an interrupt at the terminal reaches us, and it hears of our end.
      var attributes = posix_spawnattr_t()
      posix_spawnattr_init(&attributes)
      defer { posix_spawnattr_destroy(&attributes) }
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
      let words = [script, "sh", "-c", "echo \"$LATCHKEY_TEST_POSTGRES\"; cat >/dev/null"]
      var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
      defer { for argument in arguments { free(argument) } }
      var process = pid_t()
      let code = posix_spawn(&process, script, &actions, &attributes, &arguments, environ)
      close(ends[1])
      guard code == 0 else { throw NotThere(description: "\(script): \(String(cString: strerror(code)))") }
      var line: [UInt8] = []
      var byte: UInt8 = 0
      while read(ends[0], &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
      guard !line.isEmpty else { throw NotThere(description: "Scripts/with-postgres started none") }
      return String(decoding: line, as: UTF8.self)
    }
  }
#endif
