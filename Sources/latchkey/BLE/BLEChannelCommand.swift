import ArgumentParser
import CoreBluetooth
import Foundation
import LatchkeyCommandLine

/// `latchkey ble channel`: bytes over an L2CAP channel.
struct BLEChannelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "channel",
    abstract: "Send standard input over an L2CAP channel, and write what comes to a file.",
    discussion: """
      With --psm the channel of that number is opened to the device that advertises --name; with --publish one is \
      published, and --name is advertised. It ends when the other end closes it; the end of standard input does not close it.

      With --json: published (psm), opened (psm), closed (sent, received), done or error.
      """,
    examples: [
      "latchkey ble channel --publish --name Lamp --output received.bin < picture.png",
      "latchkey ble channel --name Lamp --psm 128 --output received.bin < picture.png",
    ],
    statuses: [.unavailable])

  @Option(help: "The name that the device advertises, or that is advertised.") var name: String
  @Option(help: "Open the channel of this number.") var psm: UInt16?
  @Flag(help: "Publish a channel instead.") var publish = false
  @Option(name: .customLong("output"), help: ArgumentHelp("Write what comes to this file.", valueName: "file"))
  var file: String
  @OptionGroup var search: SearchOptions
  @OptionGroup var controller: ControllerOptions
  @OptionGroup var output: EventOptions

  func validate() throws {
    guard publish == (psm == nil) else { throw ValidationError("give --psm or --publish, and not both") }
    if publish { try DeviceName.check(name) }
  }

  func run() async throws {
    try await output.run {
      let role: ChannelSession.Role = psm.map { .opener(name: name, psm: $0) } ?? .publisher(name: name)
      let session = ChannelSession(role, options: try controller.managerOptions()) { psm in
        output.emit("published \(psm)", "published", ["psm": .integer(Int(psm))])
      }
      defer { session.end() }
      let limit = Task {
        guard !publish else { return }
        try await Task.sleep(for: .seconds(search.duration))
        session.giveUp("no channel within \(search.duration) seconds")
      }
      let opened = try await session.open()
      limit.cancel()
      output.emit("opened", "opened", ["psm": .integer(Int(opened.channel.psm))])
      let transfer = try ChannelTransfer(opened, to: file)
      let (sent, received) = try await transfer.run()
      output.emit(
        "closed: \(sent) bytes sent, \(received) received", "closed",
        [
          "sent": .integer(sent), "received": .integer(received),
        ])
    }
  }
}
