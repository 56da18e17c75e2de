import ArgumentParser
import Crypto
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore
import LatchkeySystem

/// `latchkey-server device pending`: devices that wait for an approval.
struct DevicePending: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pending",
    abstract: "List the devices that wait for an approval, or have one and no certificate yet, oldest first.",
    discussion: """
      The digits are of the digest of the device's key; compare them with those that the device shows. With --json: pending \
      (device, name, user, profile, digits, created, expires, approvedBy, requestedNames), done or error.
      """,
    examples: ["latchkey-server device pending"],
    statuses: .storeRecord)

  @OptionGroup var options: OperatorOptions

  func run() async throws {
    try await options.operating { operating in
      var cursor: String?
      repeat {
        try Task.checkCancellation()
        let page = try await operating.pendingDevices(limit: 1000, cursor: cursor)
        let names = try await operating.requestedNames(of: page.records.map(\.id))
        for device in page.records { emit(device, names[device.id] ?? []) }
        try StandardStreams.requireWhole()
        cursor = page.next
      } while cursor != nil
    }
  }

  private func emit(_ device: PendingDeviceRecord, _ names: [String]) {
    let digits = PendingDevice(
      device: device.id.description, name: device.name, user: device.user.text,
      keyDigest: Base64Bytes(Array(SHA256.hash(data: device.identityKey))), created: device.created,
      expires: device.expires
    ).comparedDigits
    let approver = device.decision?.maker.description
    options.output.emit(
      """
      \(device.id)  \(PrintableText.escaped(device.name))  \(PrintableText.escaped(device.user.text))  \(device.profile)  \
      \(digits)  until \(Moment.text(device.expires))\(approver.map { "  approved by \($0)" } ?? "")\
      \(names.isEmpty ? "" : "  asks for \(names.joined(separator: " "))")
      """, "pending",
      [
        "device": .text(device.id.description), "name": .text(device.name), "user": .text(device.user.text),
        "profile": .text(device.profile), "digits": .text(digits), "created": .text(Moment.text(device.created)),
        "expires": .text(Moment.text(device.expires)), "approvedBy": approver.map { .text($0) } ?? .null,
        "requestedNames": .text(names.joined(separator: " ")),
      ])
  }
}

/// `latchkey-server device approve`: lets a waiting device have its certificate.
struct DeviceApprove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "approve", abstract: "Approve a device that waits.",
    discussion: """
      The device gets its certificate when it asks again, with the names that device pending shows. With --json: approved (device, \
      requestedNames), done or error.
      """,
    examples: ["latchkey-server device approve DEVICE"],
    statuses: .storeRecord)

  @Argument(help: "The device's identifier, as device pending shows it.") var device: String
  @OptionGroup var options: OperatorOptions

  func run() async throws {
    try await options.operating { operating in
      try await operating.decidePendingDevice(device, isApproved: true)
      let id = Identifier(device)
      let names = try await operating.requestedNames(of: id.map { [$0] } ?? []).values.first ?? []
      options.output.emit(
        "Approved \(device)\(names.isEmpty ? "" : ", which asks for \(names.joined(separator: " "))")", "approved",
        ["device": .text(device), "requestedNames": .text(names.joined(separator: " "))])
    }
  }
}

/// `latchkey-server device reject`: refuses a waiting device.
struct DeviceReject: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reject", abstract: "Reject a device that waits, for good.",
    discussion: """
      An approval is taken back so, too, while the device has no certificate. With --json: rejected (device), done or error.
      """,
    examples: ["latchkey-server device reject DEVICE"],
    statuses: .storeRecord)

  @Argument(help: "The device's identifier, as device pending shows it.") var device: String
  @OptionGroup var options: OperatorOptions

  func run() async throws {
    try await options.doing("Rejected \(device)", "rejected", [("device", .text(device))]) {
      try await $0.decidePendingDevice(device, isApproved: false)
    }
  }
}
