import CoreBluetooth
import Foundation
import LatchkeyBluetoothTesting
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeySystem
import Synchronization

/// A device of a file: of a definition, for `ble serve FILE`, or of a cassette, for `ble replay`.
final class DefinedDevice: Sendable {
  /// Makes the server of a device.
  private typealias Maker =
    @Sendable (
      DispatchQueue, [String: any Sendable], @escaping @Sendable (DefinitionServer.Event) -> Void
    ) throws(DefinitionError) -> DefinitionServer

  /// The longest file of a definition, bytes.
  private static let definitionCapacity = 4 << 20
  /// The longest file of a cassette, bytes.
  private static let cassetteCapacity = 64 << 20

  private let name: String
  private let path: String
  private let make: Maker
  private let output: EventOptions
  private let ending = Mutex(Ending())

  private struct Ending {
    var continuation: CheckedContinuation<Void, any Error>?
    var result: Result<Void, any Error>?
  }

  /// Reads a definition.
  ///
  /// - Throws: `badData` with the place of what is wrong.
  init(path: String, output: EventOptions) throws(CommandFailure) {
    let bytes = try InputFile.read(path, atMost: Self.definitionCapacity)
    let definition: DeviceDefinition
    do throws(DefinitionError) {
      definition = try DeviceDefinition(json: Data(bytes))
    } catch {
      throw Self.refusal(of: path, error)
    }
    name = definition.name
    make = { queue, options, report in
      DefinitionServer(definition, queue: queue, options: options, report: report)
    }
    (self.path, self.output) = (path, output)
  }

  /// Reads a cassette.
  ///
  /// - Throws: `badData` with the place of what is wrong.
  init(cassette path: String, _ replay: Cassette.Replay, output: EventOptions) throws(CommandFailure) {
    let bytes = try InputFile.read(path, atMost: Self.cassetteCapacity)
    let cassette: Cassette
    do throws(DefinitionError) {
      cassette = try Cassette(json: Data(bytes))
    } catch {
      throw Self.refusal(of: path, error)
    }
    name = cassette.device.name
    make = { queue, options, report throws(DefinitionError) in
      try DefinitionServer(cassette, replay, queue: queue, options: options, report: report)
    }
    (self.path, self.output) = (path, output)
  }

  private static func refusal(of path: String, _ error: DefinitionError) -> CommandFailure {
    CommandFailure(
      .badData, code: "definitionRefused", cause: error.description,
      "\(PrintableText.escaped(path)): \(PrintableText.escaped(error.description))")
  }

  /// Serves until the task is canceled.
  ///
  /// - Returns: the player of a cassette as it is then.
  @discardableResult
  func run(options: [String: any Sendable]) async throws -> CassettePlayer? {
    let server: DefinitionServer
    do throws(DefinitionError) {
      server = try make(DispatchQueue(label: "latchkey.ble.serve"), options) { [self] event in handle(event) }
    } catch {
      throw Self.refusal(of: path, error)
    }
    defer { server.end() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result = ending.withLock { ending in
          if ending.result == nil { ending.continuation = continuation }
          return ending.result
        }
        if let result { return continuation.resume(with: result) }
        server.start()
      }
    } onCancel: {
      end(.success(()))
    }
    return server.player
  }

  private func end(_ result: Result<Void, any Error>) {
    let continuation = ending.withLock { ending in
      if ending.result == nil { ending.result = result }
      return ending.continuation.take()
    }
    continuation?.resume(with: result)
  }

  private func handle(_ event: DefinitionServer.Event) {
    switch event {
    case .advertising:
      output.emit("advertising \(PrintableText.escaped(name))", "advertising", ["name": .text(name)])
    case .read(let uuid, let central): emit("read", uuid, central)
    case .subscribed(let uuid, let central): emit("subscribed", uuid, central)
    case .unsubscribed(let uuid, let central): emit("unsubscribed", uuid, central)
    case .written(let uuid, let value, let central):
      let digits = Hexadecimal.encode(value)
      output.emit(
        "written \(uuid.uuidString): \(digits)", "written",
        [
          "central": .text(central.uuidString), "characteristic": .text(uuid.uuidString), "value": .text(digits),
        ])
    case .refusedRequest(let uuid, let code, let central):
      output.emit(
        "\(uuid.uuidString) refused to \(central): error \(code.rawValue)", "refused",
        [
          "central": .text(central.uuidString), "characteristic": .text(uuid.uuidString),
          "code": .integer(code.rawValue),
        ])
    case .differed(let difference):
      output.emit(
        difference.description, "differed",
        [
          "step": .integer(difference.step), "expected": .maybe(difference.expected),
          "actual": .maybe(difference.actual),
        ])
    case .lost(let state, let cause):
      end(
        .failure(
          CommandFailure(
            .unavailable, code: "radioUnavailable", cause: cause, ControllerOptions.absence(state, cause: cause))))
    case .refused(let reason): end(.failure(CommandFailure(.unavailable, reason)))
    }
  }

  private func emit(_ event: String, _ uuid: CBUUID, _ central: UUID) {
    output.emit(
      "\(uuid.uuidString) \(event) by \(central)", event,
      ["central": .text(central.uuidString), "characteristic": .text(uuid.uuidString)])
  }
}
