#if PostgreSQL
  import Foundation
  import LatchkeyTestSupport
  import Testing

  /// The PostgreSQL that the tests of this process share: the one that LATCHKEY_TEST_POSTGRES names, or else one that
  /// `Scripts/with-postgres` starts at first use. That server ends with this process, even if it is killed: the script waits
  /// on a pipe whose other end no other process has.
  package enum TestServer {
    /// Its URL; nil where none is installed, which is printed once.
    package static var url: String? { found?.url }
    /// Folders on small disks, for tablespaces that a test fills; each test uses another one. Empty where this process may not mount
    /// any, which is printed once.
    package static var disks: [String] { found?.disks ?? [] }

    package static var isThere: Bool { url != nil }

    private static let found: (url: String, disks: [String])? = {
      do {
        let environment = ProcessInfo.processInfo.environment
        let lines =
          try environment["LATCHKEY_TEST_POSTGRES"].map { [$0, environment["LATCHKEY_TEST_POSTGRES_DISKS"] ?? ""] }
          ?? started()
        let disks = lines[1].split(separator: " ").map(String.init)
        if disks.isEmpty {
          print("tests of full disks on PostgreSQL are left out: only root may mount a disk (Scripts/with-postgres)")
        }
        return (lines[0], disks)
      } catch {
        print("tests on PostgreSQL are skipped: \(error)")
        return nil
      }
    }()

    struct NotThere: Error, CustomStringConvertible { let description: String }

    /// The script in the folder `Scripts` above this file.
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
      let words = [
        "sh", "-c", "echo \"$LATCHKEY_TEST_POSTGRES\"; echo \"$LATCHKEY_TEST_POSTGRES_DISKS\"; cat >/dev/null",
      ]
      // A process group of its own: an interrupt at the terminal reaches this process, whose end the script notices.
      let server = try SpawnedProgram(script, words, hasOwnGroup: true)
      // Its status is collected as soon as it ends, as TestProcess does: exit tests would wait for ever behind one that is not.
      Thread.detachNewThread {
        var status: CInt = 0
        while waitpid(server.process, &status, 0) < 0, errno == EINTR {}
      }
      // Two minutes for the server to start. All tests of it wait for this one.
      var patience = timeval(tv_sec: 120, tv_usec: 0)
      setsockopt(server.line, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
      var lines: [[UInt8]] = [[]]
      var byte: UInt8 = 0
      while lines.count < 3, read(server.line, &byte, 1) == 1 {
        if byte == UInt8(ascii: "\n") { lines.append([]) } else { lines[lines.count - 1].append(byte) }
      }
      guard lines.count == 3 else {
        close(server.line)
        throw NotThere(description: "Scripts/with-postgres started none")
      }
      return lines.prefix(2).map { String(decoding: $0, as: UTF8.self) }
    }
  }
#endif
