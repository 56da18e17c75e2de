import ArgumentParser
import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollment
import LatchkeyEnrollmentProtocol
import LatchkeySystem
import Security

/// `latchkey enroll`: this machine becomes a device of a service.
struct EnrollCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enroll",
    abstract:
      "Enroll this machine as a user's device: a key in the enclave, a certificate, an identity in the keychain.",
    discussion: """
      The identity key is made in the enclave, and only a signing request goes out. The certificate, the server's key and \
      where the server is stay in the keychain: `login`, `accounts` and `transfer` need no address. An identity that counts \
      still is kept, and the password only checked. An approval key is made and registered, too, where the keychain has a \
      passcode or LATCHKEY_PRESENCE says how to ask: large transfers and `login --key` use it, and ask you each time. --guard \
      says what for; --approval-key names a key that you made before, and is refused before anything is sent if there is no such \
      key, or one that asks no user. A device keeps its approval key for life: `latchkey revoke`, then `enroll`, to have another. \
      The same goes for its name and for who made its key: --device with another name and --pkcs12 are refused on a device that is \
      enrolled already. A second `enroll` with the same keychain and label waits for the first, and finds the device enrolled.

      Where the approval key cannot be registered, because no user can be asked, for example, the device is enrolled all the same, and the \
      message says which command registers the key later.

      \(LegacyEnrollmentOptions.help)

      A service may want a new device approved by another device of the user (`latchkey approve-device`) or by its operator: --wait \
      waits for that. Without it, or if the time is not enough, the command ends with 75; the same command later asks again.

      With --json: started (operation), awaitingApproval (device, digits), enrolled (server, user, device, notAfter, isNew, label, identityKey), approvalKey \
      (label, evidence), noApprovalKey (reason), account (number, name, currency, balance), loggedIn (user, device, method), \
      done or error.
      """,
    examples: [
      "latchkey enroll https://bank.example --user alice",
      "latchkey enroll https://bank.example --token @token.txt --wait 10m",
      "latchkey enroll https://localhost:8443 --user demo --password @demo-password --ca ca.pem",
    ],
    statuses: .enrollment)

  @Argument(help: "The service: https://HOST or https://HOST:PORT.") var url: String
  @Option(help: ArgumentHelp("The user's name, for an enrollment by a password.", valueName: "name")) var user: String?
  @Option(
    help: ArgumentHelp(
      "A one-time enrollment token, in place of user and password: @FILE or -.", valueName: "token"))
  var token: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long to wait for an approval, where the service requires one: 90s, 10m. (default: not at all)",
      valueName: "time"),
    transform: WaitingTime.init(typed:))
  var wait = WaitingTime.none
  @Option(help: ArgumentHelp("The user's password: @FILE or -; asked for if left out.", valueName: "password"))
  var password: String?
  @Option(
    name: .customLong("ca"),
    help: ArgumentHelp("Who may vouch for the server: PEM or DER; else the system's roots.", valueName: "file"))
  var roots: String?
  @Option(help: ArgumentHelp("What people call this device; else the machine's name.", valueName: "name"))
  var device: String?
  @Option(
    help: ArgumentHelp(
      "Register this key of the enclave, which is there already and guarded, for approvals and logins, and make none.",
      valueName: "label"))
  var approvalKey: String?
  @Option(
    name: .customLong("guard"),
    help: ArgumentHelp(
      "What each use of a new approval key asks for: \(KeyGuard.asking); user-presence if left out.",
      valueName: "guard"))
  var keyGuard: ApprovalGuard?
  @Flag(help: "Let the server make the key and send it as PKCS#12, as old services do.") var pkcs12 = false
  @OptionGroup var legacy: LegacyEnrollmentOptions
  @OptionGroup var enrollment: EnrollmentOptions

  func validate() throws {
    guard (user == nil) != (token == nil) else {
      throw ValidationError("give --user, or --token with a one-time enrollment token")
    }
    guard token == nil || (password == nil && !pkcs12 && !legacy.isLegacy) else {
      throw ValidationError(
        "a token enrolls by a key that is made here: leave --password, --pkcs12 and --documented out")
    }
    guard !legacy.isLegacy || approvalKey == nil else {
      throw ValidationError("the old service knows no approval keys: leave --approval-key out")
    }
    guard keyGuard == nil || approvalKey == nil else {
      throw ValidationError("the key that --approval-key names has its guard already: leave --guard out")
    }
    guard keyGuard == nil || !legacy.isLegacy else {
      throw ValidationError("the old service knows no approval keys: leave --guard out")
    }
    guard device == nil || !legacy.isLegacy else {
      throw ValidationError("the old service knows no names of devices: leave --device out")
    }
    guard !pkcs12 || !legacy.isLegacy else {
      throw ValidationError("the old service always makes the key: leave --pkcs12 out")
    }
  }

  func run() async throws {
    try await enrollment.run(
      .changing, changingDevice: true,
      after: {
        let server = try ServerAddress(url)
        let trusted = try roots.map { path throws(CommandFailure) in try CertificateFile.read(path) }
        let secret =
          if let token {
            try SecretArgument.read(token, option: "--token", prompt: "")
          } else {
            try SecretArgument.read(password, option: "--password", prompt: "Password of \(user ?? ""): ")
          }
        return (server, trusted, secret)
      }
    ) { (server, trusted, secret) in
      if let old = try legacy.configuration(server: server, roots: trusted, label: enrollment.label) {
        return try await LegacyEnrollmentCommands(enrollment.output, old, legacy, label: enrollment.label).enroll(
          user: user ?? "", password: secret)
      }
      var configuration = EnrollmentConfiguration(server: server, trustRoots: trusted, label: enrollment.label)
      configuration.approvalKeyGuard = keyGuard?.guarded ?? .userPresence
      configuration.approvalWait = .seconds(wait.seconds)
      let output = enrollment.output
      configuration.approvalNotice = { device in
        output.progress(
          "Waiting for an approval; the digits of this device are \(device.comparedDigits)", "awaitingApproval",
          ["device": .text(device.device), "digits": .text(device.comparedDigits)])
      }
      let client = EnrollmentClient(configuration)
      let report = EnrollmentReport(enrollment.output)
      // A device that cannot have the key that is wanted is not enrolled at all.
      if let approvalKey { try await client.requireApprovalKey(existing: approvalKey) }
      let (identity, isNew, accounts) = try await enrolled(client, report, secret)
      report.enrolled(identity, configuration, isNew: isNew)
      if !isNew { try await refuseChanges(of: identity, client) }
      if let approvalKey {
        try await report.register(
          approvalKey, client,
          done: identity.hasApprovalKey
            ? "this device is enrolled, and keeps the approval key that it has registered"
            : "this device is enrolled, and no approval key is registered")
      } else if !identity.hasApprovalKey {
        try await registerApprovalKey(client, report)
      } else if keyGuard != nil {
        throw CommandFailure(
          .usage, code: "hasApprovalKey",
          "this device has its approval key already, and --guard is for a new one: leave it out; or `latchkey revoke` ends the "
            + "device, and the same command then enrolls it anew")
      } else {
        let state = try await client.approvalKeyState()
        if state.needsNewEnrollment {
          emitNoApprovalKey(
            "the one that this device registered \(state.words)",
            "`latchkey revoke\(configuration.labelOption)` ends the device; then enroll again, with a new key")
        }
      }
      report.accounts(try accounts?.get() ?? [])
    }
  }

  /// Enrolls by the token, or else by the password.
  private func enrolled(_ client: EnrollmentClient, _ report: EnrollmentReport, _ secret: String) async throws -> (
    EnrolledIdentity, isNew: Bool, Result<[AccountSummary], EnrollmentError>?
  ) {
    let name = device ?? Self.machine
    guard let user else {
      let outcome = try await report.follow(client.enroll(token: secret, deviceName: name))
      return (outcome.identity, outcome.isNewlyRegistered, nil)
    }
    let outcome = try await report.follow(
      client.logIn(
        user: user, password: secret, deviceName: name, origin: pkcs12 ? .madeByServer : .madeHere))
    return (outcome.identity, outcome.isNewlyRegistered, outcome.accounts)
  }

  /// Without a way to ask the user there is no approval key; the device is enrolled all the same.
  private func registerApprovalKey(_ client: EnrollmentClient, _ report: EnrollmentReport) async throws {
    do {
      let status = try await report.follow(client.registerApprovalKey())
      report.approvalKey(client.configuration.approvalKeyLabel, status)
    } catch EnrollmentError.keychain(let status, let detail) where status != errSecUserCanceled {
      emitNoApprovalKey(
        detail, "\(EnrollmentReport.whereAsked), the same command once more makes one")
    } catch let error as EnrollmentError {
      let failure = CommandFailure(error)
      throw CommandFailure(
        failure.status, code: failure.code, "this device is enrolled, and has no approval key: \(failure.message)")
    }
  }

  /// A device has its name and the place of its key from its registration on.
  private func refuseChanges(of identity: EnrolledIdentity, _ client: EnrollmentClient) async throws {
    let anew =
      "or `latchkey revoke\(client.configuration.labelOption)` ends the device, and the same command then enrolls it anew"
    guard !pkcs12 || !identity.isKeyInEnclave else {
      throw CommandFailure(
        .usage, code: "alreadyEnrolled",
        "this device is enrolled already, with a key that was made here, and --pkcs12 is for a new device: leave it out; \(anew)"
      )
    }
    guard let device else { return }
    let name = try await client.deviceStatus().name
    guard name == device else {
      throw CommandFailure(
        .usage, code: "alreadyEnrolled",
        "this device is enrolled already, under the name \(PrintableText.quoted(name)), and --device names a new one: leave "
          + "it out; \(anew)")
    }
  }

  private func emitNoApprovalKey(_ reason: String, _ advice: String) {
    if enrollment.output.json {
      enrollment.output.emit(nil, "noApprovalKey", ["reason": .text(reason)])
    } else {
      StandardStreams.reportError("there is no approval key, so large transfers are refused: \(reason). \(advice)")
    }
  }

  private static var machine: String {
    String(ProcessInfo.processInfo.hostName.prefix(64)).isEmpty
      ? "device" : String(ProcessInfo.processInfo.hostName.prefix(64))
  }
}
