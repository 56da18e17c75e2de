import ArgumentParser
import LatchkeyCommandLine
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore

/// `latchkey-server device`: devices of users.
struct DeviceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "List, approve, rename and revoke devices.",
    examples: ["latchkey-server device list alice"],
    statuses: .storeRecord,
    subcommands: [
      List.self, Rename.self, Revoke.self, DevicePending.self, DeviceApprove.self, DeviceReject.self,
    ])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List devices, of all users or of one.",
      discussion: """
        What vouches for its keys (tpm, latchkey-software, none) stands behind each. With --json: device (device, user, name, created, \
        revoked, identityKey, approvalKey), done or error.
        """,
      examples: ["latchkey-server device list alice --json", "latchkey-server device list --prefix gateway-"],
      statuses: .storeRecord)

    @Argument(help: "The user's name; all users' devices if it is left out.") var user: String?
    @Option(help: ArgumentHelp("Devices whose names begin so.", valueName: "text")) var prefix = ""
    @Flag(help: "Leave out revoked devices.") var valid = false
    @OptionGroup var options: OperatorOptions

    func run() async throws {
      let filter = DeviceFilter(
        user: user.map { UserName(stored: $0) }, prefix: prefix, isRevoked: valid ? false : nil)
      try await options.list(["DEVICE", "USER", "NAME", "STATE", "KEYS"], "device") {
        try await $0.devices(filter, limit: 1000, cursor: $1)
      } row: { device in
        let state = device.isUserDisabled ? "user disabled" : "since \(Moment.text(device.created))"
        return [
          device.id.description, device.user.text, device.name, Moment.state(revoked: device.revoked, else: state),
          Self.evidence(of: device),
        ]
      } fields: { device in
        [
          ("device", .text(device.id.description)), ("user", .text(device.user.text)), ("name", .text(device.name)),
          ("created", .text(Moment.text(device.created))), ("revoked", Moment.value(device.revoked)),
          ("identityKey", device.identityEvidence.map { .text($0) } ?? .null),
          ("approvalKey", device.approvalEvidence.map { .text($0) } ?? .null),
        ]
      }
    }

    /// The evidence for a device's key; `unknown` for one that is older than the record.
    private static func evidence(of device: DeviceRecord) -> String {
      let approval = device.approvalKey == nil ? "" : ", approval key \(device.approvalEvidence ?? "unknown")"
      return "identity key \(device.identityEvidence ?? "unknown")\(approval)"
    }
  }

  struct Rename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rename", abstract: "Give a device another name.",
      discussion: "Certificates that it has keep the old one. With --json: renamed (device, name), done or error.",
      examples: ["latchkey-server device rename DEVICE gateway-12"], statuses: .storeRecord)

    @Argument(help: "The device's identifier.") var device: String
    @Argument(help: "The new name.") var name: String
    @OptionGroup var options: OperatorOptions

    func run() async throws {
      try await options.doing(
        "Renamed \(device) to \(name)", "renamed", [("device", .text(device)), ("name", .text(name))]
      ) { try await $0.renameDevice(device, to: name) }
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
