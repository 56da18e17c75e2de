import ArgumentParser
import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore
import LatchkeySystem

/// `latchkey-server token`: one-time tokens with which devices enroll.
struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Create one-time tokens with which devices enroll, list and revoke them.",
    examples: ["latchkey-server token create --user alice --lifetime 1h --output token.txt"],
    statuses: .storeRecord,
    subcommands: [Create.self, List.self, Revoke.self])

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "create", abstract: "Create a token with which one device enrolls, once.",
      discussion: """
        The token is shown now and never again; the store has only its digest. Give it to the device: latchkey enroll --token \
        @FILE. With --json: created (token, text, user, name, profile, expires), the text null where --output is given; done or \
        error.
        """,
      examples: [
        "latchkey-server token create --user alice --lifetime 1h --output token.txt",
        "latchkey-server token create --user fleet --device-name sensor-17 --profile sensor --lifetime 24h",
      ],
      statuses: .storeRecord)

    @Option(help: ArgumentHelp("Whose device it is.", valueName: "name")) var user: String
    @Option(help: ArgumentHelp("The only name that the device may have; else any.", valueName: "name"))
    var deviceName: String?
    @Option(help: ArgumentHelp("The device's profile.", valueName: "name")) var profile = DeviceProfile.defaultName
    @Option(
      parsing: .unconditional,
      help: ArgumentHelp("How long it can be used: 10m, 24h, 7d. (default: 1h)", valueName: "time"),
      transform: Span.init(typed:))
    var lifetime = Span(seconds: 3600)
    @Option(
      help: ArgumentHelp(
        "A new file for the token, readable by you alone; else it is printed.", valueName: "file"))
    var output: String?
    @OptionGroup var options: OperatorOptions

    func run() async throws {
      try await options.operating { operating in
        let file = try output.map { path throws(CommandFailure) in try TokenFile(path) }
        let (text, record): (String, EnrollmentTokenRecord)
        do {
          (text, record) = try await operating.createToken(
            user: user, deviceName: deviceName, profile: profile, lifetime: lifetime.seconds)
        } catch {
          file?.remove()
          throw error
        }
        try file?.write(text)
        options.output.emit(
          file == nil ? text : "Created the token \(record.id), until \(Moment.text(record.expires))", "created",
          [
            "token": .text(record.id.description), "text": file == nil ? .text(text) : .null,
            "user": .text(record.user.text), "name": record.deviceName.map { .text($0) } ?? .null,
            "profile": .text(record.profile), "expires": .text(Moment.text(record.expires)),
          ])
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the tokens, newest first; those that ended stay for a month.",
      discussion: """
        With --json: token (token, user, name, profile, created, expires, state, device), done or error. The state is unused, \
        used, revoked or expired.
        """,
      examples: ["latchkey-server token list"],
      statuses: .storeRecord)

    @OptionGroup var options: OperatorOptions

    func run() async throws {
      try await options.operating { operating in
        var cursor: String?
        repeat {
          try Task.checkCancellation()
          let page = try await operating.tokens(limit: 1000, cursor: cursor)
          for token in page.records { emit(token) }
          try StandardStreams.requireWhole()
          cursor = page.next
        } while cursor != nil
      }
    }

    private func emit(_ token: EnrollmentTokenRecord) {
      let now = Int64(Date().timeIntervalSince1970)
      let state =
        token.use != nil ? "used" : token.revoked != nil ? "revoked" : token.isUsable(at: now) ? "unused" : "expired"
      let name = token.deviceName.map { "  for \(PrintableText.escaped($0))" } ?? ""
      let device = token.use.map { "  by \($0.device)" } ?? ""
      options.output.emit(
        """
        \(token.id)  \(PrintableText.escaped(token.user.text))\(name)  \(token.profile)  \(state)\(device)  until \
        \(Moment.text(token.expires))
        """, "token",
        [
          "token": .text(token.id.description), "user": .text(token.user.text),
          "name": token.deviceName.map { .text($0) } ?? .null, "profile": .text(token.profile),
          "created": .text(Moment.text(token.created)), "expires": .text(Moment.text(token.expires)),
          "state": .text(state), "device": token.use.map { .text($0.device.description) } ?? .null,
        ])
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "revoke", abstract: "Revoke a token that was not used.",
      discussion: "A device that used it stays: device revoke ends it. With --json: revoked (token), done or error.",
      examples: ["latchkey-server token revoke TOKEN"],
      statuses: .storeRecord)

    @Argument(help: "The token's identifier, as token list shows it; not its text.") var token: String
    @OptionGroup var options: OperatorOptions

    func run() async throws {
      try await options.revoking("token", token) { try await $0.revokeToken(token) }
    }
  }
}

/// A new file of one secret, mode 0600.
private struct TokenFile {
  let path: String
  private let descriptor: FileHandle

  /// - Throws: `CommandFailure` if the file exists or cannot be made.
  init(_ path: String) throws(CommandFailure) {
    let made = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard made >= 0 else {
      throw CommandFailure(.inputOutput, "\(path): \(String(cString: strerror(errno))); --output is a new file")
    }
    self.path = path
    descriptor = FileHandle(fileDescriptor: made, closeOnDealloc: true)
  }

  func write(_ text: String) throws { try descriptor.write(contentsOf: Data((text + "\n").utf8)) }

  func remove() { try? FileManager.default.removeItem(atPath: path) }
}
