#if TPM
  import Foundation
  import Glibc
  import LatchkeyEnclaveTPM
  import LatchkeyTestSupport

  /// A real swtpm on loopback, started by a test and ended with it, by its process id.
  ///
  /// It is a simulator of a TPM: what is seen to work with it was not seen with a TPM of hardware.
  final class SoftwareTPM {
    static let isInstalled = access("/usr/bin/swtpm", X_OK) == 0
    static let hasTools = access("/usr/bin/tpm2_makecredential", X_OK) == 0

    /// Where its state lies.
    let folder: String
    private(set) var port: UInt16 = 0
    private(set) var process: pid_t = 0
    private let ownsFolder: Bool
    private let logPath: String?

    var tcti: String { "swtpm:host=127.0.0.1,port=\(port)" }

    /// A new TPM, or one on the state of another that has ended.
    init(state: String? = nil, logPath: String? = nil) throws {
      ownsFolder = state == nil
      self.logPath = logPath
      folder = state ?? NSTemporaryDirectory() + "latchkey-swtpm-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try start()
    }

    deinit {
      kill()
      if ownsFolder { try? FileManager.default.removeItem(atPath: folder) }
    }

    private var processFile: String { folder + "/swtpm.pid" }

    /// Starts it, and waits until it answers.
    func start() throws {
      for _ in 0..<20 {
        // One that was killed leaves its file behind.
        try? FileManager.default.removeItem(atPath: processFile)
        // Below the ports that the system gives to outgoing connections: one of those could meet itself.
        port = UInt16.random(in: 5000...16000) * 2
        process = try Self.spawn(
          [
            "/usr/bin/swtpm", "socket", "--tpm2", "--server", "type=tcp,port=\(port),bindaddr=127.0.0.1", "--ctrl",
            "type=tcp,port=\(port + 1),bindaddr=127.0.0.1", "--flags", "not-need-init,startup-clear", "--tpmstate",
            "dir=\(folder)", "--pid", "file=\(processFile)",
          ] + (logPath.map { ["--log", "file=\($0),level=20"] } ?? []))
        if waitUntilListening() { return }
        kill()
      }
      throw Failure(text: "swtpm does not start")
    }

    /// A power cut: it ends without a word.
    func kill() {
      guard process > 0 else { return }
      Glibc.kill(process, SIGKILL)
      waitpid(process, nil, 0)
      process = 0
    }

    /// Stops it where it is, or lets it go on.
    func signal(_ signal: Int32) { Glibc.kill(process, signal) }

    /// The power cut, and the power back: the same state, at a new address.
    func restart() throws {
      kill()
      try start()
    }

    /// Waits for its process ID in its file, which it writes once both of its ports are its own. A connection would
    /// not tell: the TPM of another test may have the port, and this one be about to end for that.
    private func waitUntilListening() -> Bool {
      for _ in 0..<6000 {
        if waitpid(process, nil, WNOHANG) == process {
          process = 0
          return false
        }
        if (try? String(contentsOfFile: processFile, encoding: .utf8)) == String(process) { return true }
        usleep(5000)
      }
      return false
    }

    private static func spawn(_ arguments: [String]) throws -> pid_t {
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      for descriptor in [Int32(0), 1, 2] {
        posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
      }
      try TestProcess.closeFiles(from: 3, in: &actions)
      var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
      defer { for word in words { free(word) } }
      var process: pid_t = 0
      let code = posix_spawn(&process, arguments[0], &actions, nil, &words, environ)
      guard code == 0 else { throw Failure(text: "\(arguments[0]): \(String(cString: strerror(code)))") }
      return process
    }

    /// Runs a program of tpm2-tools, or another, against it, and returns its exit code and what it wrote.
    @discardableResult
    func run(_ program: String, _ arguments: [String]) throws -> (code: Int32, output: String) {
      let run = try ProgramRun(
        "/usr/bin/\(program)", arguments, folder: URL(fileURLWithPath: folder),
        environment: ["TPM2TOOLS_TCTI": tcti, "PATH": "/usr/bin:/bin", "TSS2_LOG": "all+NONE"], joined: true)
      return (run.status, run.output)
    }

    struct Failure: Error { var text: String }
  }
#endif
