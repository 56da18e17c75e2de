import ArgumentParser
import Foundation
import LatchkeyCommandLine
import Synchronization

/// `latchkey ble subscribe`: values as a device sends them.
struct BLESubscribeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "subscribe",
    abstract: "Print the values that a device notifies or indicates.",
    discussion: """
      Connects, subscribes, and prints a line for each value, with the time. It ends after --count values in all, after --seconds, by ^C, \
      or with 69 when the device ends the connection; with both options also with 69 when fewer values came. A device is held back \
      while nobody reads the lines.

      \(ConnectionOptions.discussion)

      With --json: connected (identifier, name), subscribed (path, service, characteristic, descriptor, handle, name), update (time, \
      path, service, characteristic, descriptor, handle, name, value, text), \(ConnectionOptions.events), done or error.
      """,
    examples: [
      "latchkey ble subscribe --hci unix-client:/tmp/radio Lamp heart-rate-measurement --seconds 60",
      "latchkey ble subscribe Lamp FFF1 --count 1 --as text",
    ],
    statuses: [.badData, .unavailable, .notPermitted])

  @Argument(help: "The device: its name or its identifier.") var device: String
  @Argument(help: "What to subscribe to.") var characteristic: [String]
  @Option(help: "End after so many values.") var count: Int?
  @Option(help: "End after so many seconds.") var seconds: Double?
  @Option(
    name: .customLong("as"),
    help: ArgumentHelp("Print values in a form of `ble read --as`, but raw.", valueName: "form"))
  var format: ValueFormat?
  @OptionGroup var connection: ConnectionOptions

  func validate() throws {
    let paths = try ConnectionOptions.paths(characteristic)
    guard paths.allSatisfy({ $0.descriptor == nil }) else { throw ValidationError("a descriptor does not notify") }
    guard count ?? 1 > 0 else { throw ValidationError("--count is 1 or more") }
    guard seconds ?? 1 > 0, seconds ?? 1 <= 31_536_000 else {
      throw ValidationError("--seconds is above 0, and 31536000 at most")
    }
    guard format != .raw else { throw ValidationError("--as raw would not separate values: use hex or --json") }
  }

  func run() async throws {
    let output = connection.output
    try await output.run {
      let paths = try ConnectionOptions.paths(characteristic)
      let ending = Ending()
      let left = Mutex(count)
      var task = DeviceTask(device, connection, paths: paths)
      task.onUpdate = { attribute, value in
        let remaining = left.withLock { left in
          defer { left = left.map { $0 - 1 } }
          return left
        }
        if let remaining, remaining <= 0 { return }
        do {
          try show(attribute, value)
          try StandardStreams.checkLostLines()
        } catch {
          ending.fail(error)
        }
        if remaining == 1 { ending.come() }
      }
      task.onEvent = { event in
        guard case .disconnected(let reason) = event else { return }
        ending.fail(
          CommandFailure(
            .unavailable, code: "disconnected", "the device ended the connection" + (reason.map { ": \($0)" } ?? "")))
      }
      try await task.run { session in
        for path in paths {
          let attribute = try session.attribute(at: path)
          try await session.setNotify(true, for: path)
          output.emit(nil, "subscribed", fields: attribute.fields(path.text))
        }
        try await ending.wait(atMost: seconds)
      }
      if let missing = left.withLock({ $0 }), missing > 0 {
        throw CommandFailure(
          .unavailable, code: "tooFew", "\((count ?? 0) - missing) of \(count ?? 0) values came in time")
      }
    }
  }

  private func show(_ attribute: FoundAttribute, _ value: [UInt8]) throws {
    let time = Date.now.formatted(.iso8601Milliseconds)
    let words = try format?.words(value) ?? attribute.words(value)
    let received: EventFields = [("time", .text(time))]
    connection.output.emit(
      "\(time)  \(attribute.label(attribute.path)): \(words)", "update",
      fields: received + attribute.fields(attribute.path, value))
  }
}

extension FormatStyle where Self == Date.ISO8601FormatStyle {
  /// A time in UTC, with milliseconds.
  static var iso8601Milliseconds: Self { Date.ISO8601FormatStyle(includingFractionalSeconds: true) }
}
