import LatchkeyTestSupport
import Foundation

/// Where a transcript is played: a folder of its own, and an environment in which nothing of the user's is found.
final class TranscriptStage {
  private let folder: URL
  private var environment: [String: String]

  init() throws {
    folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("LATCHKEY_") }
    environment["HOME"] = folder.path
    for name in ["XDG_DATA_HOME", "XDG_STATE_HOME"] { environment[name] = folder.appendingPathComponent(name).path }
    environment["LATCHKEY_KEYCHAIN"] = folder.appendingPathComponent("keychain.db").path
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Plays one step; nil if nothing runs in it.
  func play(_ step: Transcript.Step) throws -> BuiltCommand.Result? {
    switch step.command {
    case .export(let name, let value):
      environment[name] = value?.replacingOccurrences(of: "FOLDER", with: folder.path)
      return nil
    case .latchkey(let arguments):
      return masked(try BuiltCommand.run(arguments, input: step.input, folder: folder, environment: environment))
    case .shell(let command):
      let shell = URL(fileURLWithPath: "/bin/sh")
      return masked(
        try BuiltCommand.run(
          ["-c", command], input: step.input, program: shell, folder: folder, environment: environment))
    }
  }

  private func masked(_ result: BuiltCommand.Result) -> BuiltCommand.Result {
    BuiltCommand.Result(status: result.status, output: mask(result.output), errors: mask(result.errors))
  }

  /// `text` with words for what differs each time.
  private func mask(_ text: String) -> String {
    text.replacingOccurrences(of: folder.path, with: "FOLDER")
      .replacing(/0x[0-9A-F]{28}5A00  "[0-9]{14}Z\\000"/, with: "TIME")
      .replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z/, with: "TIME")
      .replacing(/[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}/, with: "IDENTIFIER")
      .replacing(/"(reference|item)":"[0-9a-f]{32,}"/, with: { "\"\($0.output.1)\":\"DIGITS\"" })
      .replacing(
        /"(publicKey|signature|statement|fingerprint)":"[0-9a-f]{16,}"/, with: { "\"\($0.output.1)\":\"DIGITS\"" }
      )
      .replacing(/-----BEGIN PUBLIC KEY-----[A-Za-z0-9+\/=\n]+-----END PUBLIC KEY-----/, with: "PUBLIC KEY")
      .replacing(/ecdsa-sha2-nistp256 [A-Za-z0-9+\/=]{140}/, with: "ecdsa-sha2-nistp256 LETTERS")
      .replacing(/\t[0-9a-f]{16}\t/, with: "\tDIGITS\t")
      .replacing(/\b(04)?[0-9a-f]{128,}\b/, with: "DIGITS")
      .replacing(/(TIME [a-zA-Z]+) [0-9a-f]{32}/, with: { "\($0.output.1) DIGITS" })
      .replacing(/(\bitem|names it) [0-9a-f]{32}\b/, with: { "\($0.output.1) DIGITS" })
      .replacing(/wait [0-9]+ seconds/, with: "wait SOME seconds")
  }
}
