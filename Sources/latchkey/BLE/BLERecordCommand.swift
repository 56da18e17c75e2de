import ArgumentParser
import CoreBluetooth
import Foundation
import LatchkeyBluetoothTesting
import LatchkeyBluetoothTransports
import LatchkeyCommandLine
import Synchronization

/// `latchkey ble record`: a device as a cassette.
struct BLERecordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Record a device into a cassette: what it advertises, its services, its values and what it sends.",
    discussion: """
      Connects, discovers everything, reads all characteristics and descriptors that can be read, subscribes for --seconds to all that \
      notify or indicate, or to what --subscribe names, and writes what passed to FILE, with times, in the form of \
      docs/cassette.schema.json, which tests play. Nothing is written to the device but subscriptions. For another exchange use \
      any program with --trace, and `ble import`. What the device refuses is recorded, too. ^C ends the subscriptions early.

      Keys are never in FILE. Serial numbers, system IDs and addresses are masked, and what --mask names.

      \(ConnectionOptions.discussion)

      With --json: connected (identifier, name), recording (reads, subscriptions), \(ConnectionOptions.events), recorded (device, \
      name, services, advertisements, steps), remark (text), done or error.
      """,
    examples: [
      "latchkey ble record --hci unix-client:/tmp/radio Lamp lamp.json",
      "latchkey ble record Strap strap.json --seconds 60 --subscribe heart-rate-measurement",
    ],
    statuses: [.unavailable, .notPermitted, .inputOutput])

  @Argument(help: "The device: its name or its identifier.") var device: String
  @Argument(help: "The cassette to write.") var file: String
  @Option(
    name: [.long, .customLong("for")], help: "How long to take what the device sends, in seconds: 10 unless given.")
  var seconds = 10.0
  @Option(help: ArgumentHelp("Subscribe to this alone; may be repeated.", valueName: "characteristic"))
  var subscribe: [String] = []
  @OptionGroup var cassette: CassetteOptions
  @OptionGroup var connection: ConnectionOptions

  func validate() throws {
    guard seconds >= 0, seconds <= 86_400 else { throw ValidationError("--seconds is 0 to 86400") }
    guard try ConnectionOptions.paths(subscribe).allSatisfy({ $0.descriptor == nil }) else {
      throw ValidationError("a descriptor does not notify")
    }
  }

  func run() async throws {
    let output = connection.output
    try await output.run {
      let mask = try cassette.masked()
      try CassetteFile.check(file, replaces: cassette.replace)
      let tape = Tape()
      RadioRegistry.shared.observe { tape.receive($0) }
      let ending = Ending()
      var task = DeviceTask(device, connection, paths: [])
      task.onUpdate = { _, _ in }
      task.onEvent = { event in if case .disconnected = event { ending.come() } }
      try await task.run { session in
        let reads = try await Self.readAll(session)
        let subscriptions = try await subscribeAll(session)
        output.emit(
          nil, "recording", ["reads": .integer(reads), "subscriptions": .integer(subscriptions)])
        if subscriptions > 0 { try await Self.wait(ending, seconds) }
      }
      try write(tape.device(), mask)
    }
  }

  /// Reads what can be read. What the device refuses is in the recording; a link that is lost ends it.
  private static func readAll(_ session: CentralSession) async throws -> Int {
    let paths = session.recordedPaths()
    for path in paths {
      do { _ = try await session.read(path) } catch is CBATTError {}
    }
    return paths.count
  }

  private func subscribeAll(_ session: CentralSession) async throws -> Int {
    let typed = try ConnectionOptions.paths(subscribe)
    guard typed.isEmpty else {
      for path in typed { try await session.setNotify(true, for: path) }
      return typed.count
    }
    var count = 0
    for path in session.subscribablePaths() {
      do {
        try await session.setNotify(true, for: path)
        count += 1
      } catch is CBATTError {}
    }
    return count
  }

  /// Waits for the time to end; ^C ends it early, and the recording is kept.
  private static func wait(_ ending: Ending, _ seconds: Double) async throws {
    do { try await ending.wait(atMost: seconds) } catch is CancellationError {}
  }

  private func write(_ device: RecordedDevice?, _ mask: CassetteMask) throws {
    guard let device else { throw CommandFailure(.unavailable, "nothing was recorded") }
    let recorded: RecordedCassette
    do throws(CassetteError) { recorded = try RecordedCassette(device, masking: mask) } catch {
      throw CommandFailure(.unavailable, code: error.code.rawValue, error.description)
    }
    try CassetteFile.write(recorded, of: device, event: "recorded", to: file, connection.output)
  }
}

/// What passes between this host and its controller.
private final class Tape: Sendable {
  private let recorder = Mutex(ExchangeRecorder())

  func receive(_ packet: CapturedPacket) { recorder.withLock { $0.receive(packet) } }

  /// The device to which there was a connection.
  func device() -> RecordedDevice? {
    recorder.withLock { recorder in
      recorder.end()
      return recorder.devices.filter { $0.connections > 0 }.max { $0.pduCount < $1.pduCount }
    }
  }
}
