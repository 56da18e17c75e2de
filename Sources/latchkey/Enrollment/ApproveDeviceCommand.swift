import ArgumentParser
import LatchkeyCommandLine
import LatchkeyEnrollment
import LatchkeyEnrollmentProtocol
import LatchkeySystem

/// `latchkey approve-device`: this device lets another one of the user in.
struct ApproveDeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "approve-device",
    abstract: "List the user's new devices that wait for an approval; approve or reject one.",
    discussion: """
      Compare the digits with those that the new device shows: only the device that has its key shows them. The approval key \
      signs the decision, and asks you; the identity key does, if this device has no approval key. The decision is about the names, \
      too, for which the new device asks: others would take it for what they name.

      With --json: started (operation), pending (device, name, user, digits, requestedNames), approved (device, requestedNames), \
      rejected (device, requestedNames), done or error.
      """,
    examples: ["latchkey approve-device", "latchkey approve-device DEVICE", "latchkey approve-device DEVICE --reject"],
    statuses: .enrollment)

  @Argument(help: "The device to decide about; lists those that wait if left out.") var device: String?
  @Flag(help: "Reject the device, for good.") var reject = false
  @OptionGroup var enrollment: EnrollmentOptions

  func validate() throws {
    guard !reject || device != nil else { throw ValidationError("name the device to reject") }
  }

  func run() async throws {
    try await enrollment.run {
      let (client, output) = (try enrollment.client(), enrollment.output)
      let report = EnrollmentReport(output)
      let waiting = try await report.follow(client.pendingDevices())
      guard let device else {
        for one in waiting {
          output.emit(
            """
            \(PrintableText.escaped(one.device))  \(PrintableText.escaped(one.name))  \
            \(PrintableText.escaped(one.user))  \(one.comparedDigits)\(one.asksFor)
            """, "pending",
            [
              "device": .text(one.device), "name": .text(one.name), "user": .text(one.user),
              "digits": .text(one.comparedDigits), "requestedNames": .list(one.requestedNames.map { .text($0) }),
            ])
        }
        return
      }
      guard let chosen = waiting.first(where: { $0.device == device }) else {
        throw CommandFailure(
          .itemNotFound,
          "no device \(PrintableText.escaped(device)) of this user waits: `latchkey approve-device` lists those that do"
        )
      }
      try await report.follow(client.decide(on: chosen, isApproved: !reject))
      output.emit(
        "\(reject ? "Rejected" : "Approved") \(PrintableText.escaped(device))\(chosen.asksFor)",
        reject ? "rejected" : "approved",
        ["device": .text(device), "requestedNames": .list(chosen.requestedNames.map { .text($0) })])
    }
  }
}

extension PendingDevice {
  /// The names that it asks for, behind two spaces; empty without any.
  fileprivate var asksFor: String {
    requestedNames.isEmpty
      ? "" : "  asks for " + requestedNames.map { PrintableText.escaped($0) }.joined(separator: " ")
  }
}
