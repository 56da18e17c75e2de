#if PostgreSQL
  import Foundation
  import Testing

  /// The PostgreSQL that the tests of this process share: the one that LATCHKEY_TEST_POSTGRES names, or else one that
  /// `Scripts/with-postgres` starts at first use. That one ends with this process, however it ends: the script waits on a
  /// pipe whose other end nobody else has.
  enum TestServer {
    /// Its URL; nil, said once, where none is installed.
    static var url: String? { found?.url }
    /// Folders on small disks, for tablespaces that a test fills; a test takes one of its own. None, said once, where nothing may be
    /// mounted for it.
    static var disks: [String] { found?.disks ?? [] }

    static var isThere: Bool { url != nil }

    private static let found: (url: String, disks: [String])? = {
      do {
        let environment = ProcessInfo.processInfo.environment
        let lines =
          try environment["LATCHKEY_TEST_POSTGRES"].map { [$0, environment["LATCHKEY_TEST_POSTGRES_DISKS"] ?? ""] }
          ?? started()
        let disks = lines[1].split(separator: " ").map(String.init)
        if disks.isEmpty { print("no disk of PostgreSQL is filled: only root may mount one (Scripts/with-postgres)") }
        return (lines[0], disks)
      } catch {
        print("tests on PostgreSQL are skipped: \(error)")
        return nil
      }
    }()

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

    /// - Returns: its URL, and its disks, with a space between.
    private static func started() throws -> [String] {
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
      let words = [
        script, "sh", "-c", "echo \"$LATCHKEY_TEST_POSTGRES\"; echo \"$LATCHKEY_TEST_POSTGRES_DISKS\"; cat >/dev/null",
      ]
      var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
      defer { for argument in arguments { free(argument) } }
      var process = pid_t()
      let code = posix_spawn(&process, script, &actions, &attributes, &arguments, environ)
      close(ends[1])
      guard code == 0 else { throw NotThere(description: "\(script): \(String(cString: strerror(code)))") }
      var lines: [[UInt8]] = [[]]
      var byte: UInt8 = 0
      while lines.count < 3, read(ends[0], &byte, 1) == 1 {
        if byte == UInt8(ascii: "\n") { lines.append([]) } else { lines[lines.count - 1].append(byte) }
      }
      guard lines.count == 3 else { throw NotThere(description: "Scripts/with-postgres started none") }
      return lines.prefix(2).map { String(decoding: $0, as: UTF8.self) }
    }
  }
#endif
