import ArgumentParser
import LatchkeyCommandLine
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore
import LatchkeySystem

/// `latchkey-server device`: devices of users.
struct DeviceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "List devices, and revoke them.", examples: ["latchkey-server device list alice"],
    statuses: .storeRecord,
    subcommands: [List.self, Revoke.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List a user's devices, oldest first.",
      discussion:
        "What vouches for its keys (tpm, latchkey-software, none) stands behind each. With --json: device (device, name, created, revoked, identityKey, approvalKey), done or error.",
      examples: ["latchkey-server device list alice --json"],
      statuses: .storeRecord)

    @Argument(help: "The user's name.") var user: String
    @OptionGroup var options: OperatorOptions

    func run() async throws {
      try await options.operating { for device in try await $0.devices(of: user) { emit(device) } }
    }

    /// The evidence for a device's key; `unknown` for one that is older than the record.
    private static func evidence(of device: DeviceRecord) -> String {
      let approval = device.approvalKey == nil ? "" : ", approval key \(device.approvalEvidence ?? "unknown")"
      return "identity key \(device.identityEvidence ?? "unknown")\(approval)"
    }

    private func emit(_ device: DeviceRecord) {
      let state = Moment.state(revoked: device.revoked, else: "since \(Moment.text(device.created))")
      options.output.emit(
        "\(device.id)  \(PrintableText.escaped(device.name))  \(state)  \(Self.evidence(of: device))", "device",
        [
          "device": .text(device.id.description), "name": .text(device.name),
          "created": .text(Moment.text(device.created)), "revoked": Moment.value(device.revoked),
          "identityKey": device.identityEvidence.map { .text($0) } ?? .null,
          "approvalKey": device.approvalEvidence.map { .text($0) } ?? .null,
        ])
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "revoke", abstract: "Revoke a device with all its certificates, for good.",
      discussion: """
        Servers that run on the same store turn it away within half a second. With --json: revoked (device), done or error.
        """,
      examples: ["latchkey-server device revoke DEVICE"],
      statuses: .storeRecord)

    @Argument(help: "The device's identifier.") var device: String
    @OptionGroup var why: RevocationOptions
    @OptionGroup var options: OperatorOptions

    func run() async throws {
      let reason = why.reason
      try await options.revoking("device", device) { try await $0.revokeDevice(device, reason: reason) }
    }
  }
}
