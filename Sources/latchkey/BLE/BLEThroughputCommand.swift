import ArgumentParser
import CoreBluetooth
import LatchkeyCommandLine
import Synchronization

/// `latchkey ble throughput`: how fast a link is.
struct BLEThroughputCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "throughput",
    abstract: "Measure how fast a device is written to, or sends, and how long it takes to answer.",
    discussion: """
      First it reads CHARACTERISTIC ten times: the latency. Then with --write it writes values of --size zeros without responses, or with \
      responses where only those are offered, as fast as the link accepts them, for --seconds; with --notify it subscribes and counts what \
      the device sends, from the first value on. What is written replaces the device's value.

      \(ConnectionOptions.discussion)

      With --json: connected (identifier, name), latency (count, minimum, median, maximum, in milliseconds), throughput (direction, values, \
      bytes, seconds, bytesPerSecond), \(ConnectionOptions.events), done or error.
      """,
    examples: [
      "latchkey ble throughput --hci unix-client:/tmp/radio Lamp FFF1 --write --seconds 10",
      "latchkey ble throughput Lamp FFF1 --notify --json",
    ],
    statuses: [.unavailable, .notPermitted])

  @Argument(help: "The device: its name or its identifier.") var device: String
  @Argument(help: "What is written, or sends.") var characteristic: String
  @Flag(help: "Write.") var write = false
  @Flag(help: "Count what the device notifies or indicates.") var notify = false
  @Option(help: "How long, in seconds.") var seconds = 5.0
  @Option(help: "How many bytes a value has; as many as fit unless given.") var size: Int?
  @OptionGroup var connection: ConnectionOptions

  func validate() throws {
    let paths = try ConnectionOptions.paths([characteristic])
    guard paths[0].descriptor == nil else { throw ValidationError("a descriptor has no throughput") }
    guard write != notify else { throw ValidationError("give --write or --notify, and not both") }
    guard seconds > 0, seconds <= 3600 else { throw ValidationError("--seconds is above 0, and 3600 at most") }
    guard 1...TypedValue.longest ~= size ?? 1 else { throw ValidationError("--size is 1 to \(TypedValue.longest)") }
    guard size == nil || write else { throw ValidationError("the device decides on the size of what it notifies") }
  }

  func run() async throws {
    let output = connection.output
    try await output.run {
      let path = try ConnectionOptions.paths([characteristic])[0]
      let received = Received()
      var task = DeviceTask(device, connection, paths: [path])
      task.onUpdate = { _, value in received.add(value.count) }
      task.onEvent = { event in if case .disconnected = event { received.ending.fail(Self.disconnection) } }
      try await task.run { session in
        let properties = try session.properties(at: path)
        report(try await session.roundTrips(10, at: path))
        if notify {
          try await session.setNotify(true, for: path)
          try await received.ending.wait(atMost: seconds)
          report("notify", received.total)
        } else {
          report("write", try await written(session, path, properties))
        }
      }
    }
  }

  private static let disconnection = CommandFailure(
    .unavailable, code: "disconnected", "the device ended the connection")

  private func written(
    _ session: CentralSession, _ path: AttributePath, _ properties: CBCharacteristicProperties
  ) async throws -> Total {
    let clock = ContinuousClock()
    let start = clock.now
    let end = start + .seconds(seconds)
    if properties.contains(.writeWithoutResponse) {
      let value = [UInt8](repeating: 0, count: min(size ?? session.longestCommand, session.longestCommand))
      let count = try await session.flood(path, with: value, until: end)
      return Total(values: count, bytes: count * value.count, time: clock.now - start)
    }
    guard properties.contains(.write) else {
      throw CommandFailure(
        .notPermitted, code: "notOffered", "\(path.text) is not written: `latchkey ble explore` lists what is")
    }
    let value = [UInt8](repeating: 0, count: size ?? session.longestCommand)
    var count = 0
    while clock.now < end {
      try await session.write(value, to: path)
      count += 1
    }
    return Total(values: count, bytes: count * value.count, time: clock.now - start)
  }

  // MARK: Printing

  private func report(_ times: [Duration]) {
    let sorted = times.map { $0 / .milliseconds(1) }.sorted()
    guard let least = sorted.first, let most = sorted.last else { return }
    let median = sorted[sorted.count / 2]
    connection.output.emit(
      "latency: \(Self.rounded(median)) ms (\(Self.rounded(least)) to \(Self.rounded(most)) of \(sorted.count))",
      "latency",
      [
        "count": .integer(sorted.count), "minimum": .number(Self.rounded(least)),
        "median": .number(Self.rounded(median)),
        "maximum": .number(Self.rounded(most)),
      ])
  }

  private func report(_ direction: String, _ total: Total) {
    let time = total.time / .seconds(1)
    let rate = time > 0 ? Int((Double(total.bytes) / time).rounded()) : 0
    connection.output.emit(
      "\(direction): \(rate) bytes/s (\(total.bytes) bytes in \(total.values) values and \(Self.rounded(time)) s)",
      "throughput",
      [
        "direction": .text(direction), "values": .integer(total.values), "bytes": .integer(total.bytes),
        "seconds": .number(Self.rounded(time)), "bytesPerSecond": .integer(rate),
      ])
  }

  /// Three digits behind the point.
  private static func rounded(_ number: Double) -> Double { (number * 1000).rounded() / 1000 }
}

/// What was transferred, and in which time.
private struct Total: Sendable {
  var values = 0
  var bytes = 0
  var time = Duration.zero
}

/// What was notified so far, from the first value to the last.
private final class Received: Sendable {
  let ending = Ending()
  private let state = Mutex<(total: Total, start: ContinuousClock.Instant?)>((Total(), nil))

  var total: Total { state.withLock { $0.total } }

  func add(_ bytes: Int) {
    state.withLock { state in
      // The first value starts the clock; its bytes came before.
      guard let start = state.start else { return state.start = ContinuousClock.now }
      state.total.values += 1
      state.total.bytes += bytes
      state.total.time = ContinuousClock.now - start
    }
  }
}
