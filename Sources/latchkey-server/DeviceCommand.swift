import ArgumentParser
import EnrollmentServer
import EnrollmentStore
import Foundation

/// `latchkey-server device`: devices of users.
struct DeviceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "List devices, and revoke them.", subcommands: [List.self, Revoke.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List a user's devices, oldest first.",
      discussion: "With --json: device (device, name, created, revoked, approvalKey), done or error.")

    @Argument(help: "The user's name.") var user: String
    @OptionGroup var store: StoreOptions
    @OptionGroup var output: EventOptions

    func run() async throws {
      try await output.operating {
        try await store.using { store in
          for device in try await Operator(store).devices(of: user) { tell(device) }
        }
      }
    }

    private func tell(_ device: DeviceRecord) {
      let state = device.revoked.map { "revoked \(Self.time($0))" } ?? "since \(Self.time(device.created))"
      output.tell(
        "\(device.id)  \(device.name)  \(state)", "device",
        [
          "device": .text(device.id.description), "name": .text(device.name),
          "created": .text(Self.time(device.created)),
          "revoked": device.revoked.map { .text(Self.time($0)) } ?? .null,
          "approvalKey": device.approvalEvidence.map { .text($0) } ?? .null,
        ])
    }

    private static func time(_ seconds: Int64) -> String {
      Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "revoke", abstract: "Revoke a device with all its certificates, for good.",
      discussion: """
        Servers that run on the same store turn it away within half a second. With --json: revoked (device), done or error.
        """)

    @Argument(help: "The device's identifier.") var device: String
    @OptionGroup var store: StoreOptions
    @OptionGroup var output: EventOptions

    func run() async throws {
      try await output.operating {
        try await store.using { try await Operator($0).revokeDevice(device) }
        output.tell("Revoked \(device)", "revoked", ["device": .text(device)])
      }
    }
  }
}
