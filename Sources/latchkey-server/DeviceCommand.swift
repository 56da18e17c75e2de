import ArgumentParser
import EnrollmentServer
import EnrollmentStore

/// `latchkey-server device`: devices of users.
struct DeviceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "List devices, and revoke them.", subcommands: [List.self, Revoke.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List a user's devices, oldest first.",
      discussion: "With --json: device (device, name, created, revoked, approvalKey), done or error.")

    @Argument(help: "The user's name.") var user: String
    @OptionGroup var options: OperatorOptions

    func run() async throws {
      try await options.operating { for device in try await $0.devices(of: user) { tell(device) } }
    }

    private func tell(_ device: DeviceRecord) {
      let state = Moment.state(revoked: device.revoked, else: "since \(Moment.text(device.created))")
      options.output.tell(
        "\(device.id)  \(device.name)  \(state)", "device",
        [
          "device": .text(device.id.description), "name": .text(device.name),
          "created": .text(Moment.text(device.created)), "revoked": Moment.value(device.revoked),
          "approvalKey": device.approvalEvidence.map { .text($0) } ?? .null,
        ])
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "revoke", abstract: "Revoke a device with all its certificates, for good.",
      discussion: """
        Servers that run on the same store turn it away within half a second. With --json: revoked (device), done or error.
        """)

    @Argument(help: "The device's identifier.") var device: String
    @OptionGroup var options: OperatorOptions

    func run() async throws {
      try await options.revoking("device", device) { try await $0.revokeDevice(device) }
    }
  }
}
