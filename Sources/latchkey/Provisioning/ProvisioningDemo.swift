import CoreBluetooth
import Foundation
import LatchkeyCommandLine
import LatchkeyProvisioning
import LatchkeyProvisioningProtocol
import LatchkeySystem
import Synchronization

/// The demonstration's first half: starts the device, then the app, and prints the steps of both in one order.
struct ProvisioningDemo: Sendable {
  let name: String
  let credentials: LegacyWiFiCredentials
  let output: EventOptions

  private static let options: [String: any Sendable] = [CBManagerOptionControllerKey: "virtual"]

  /// Runs it to its end.
  func run(_ chapters: DemoChapters) async throws {
    // The device prints after the app has printed that the payload is sent: otherwise the order of lines would vary.
    let (sent, continuation) = AsyncStream<Void>.makeStream()
    let device = LegacyUnauthenticatedDevice(name: name, managerOptions: Self.options) { request in
      for await _ in sent { break }
      return answer(request, chapters)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        do {
          try await device.run()
        } catch let error as LegacyDeviceError {
          throw error.failure
        }
      }
      group.addTask {
        for await event in device.events where event == .advertising { break }
        try Task.checkCancellation()
        chapters.begin(
          "The device advertises as \(PrintableText.quoted(name)), with service F200.", "advertising",
          ["name": .text(name)])
        try await runApp(chapters) { continuation.yield() }
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// The device's part: shows what came, and says that it has joined the network.
  private func answer(
    _ request: LegacyUnauthenticatedRequest, _ chapters: DemoChapters
  ) -> [LegacyUnauthenticatedAnswer] {
    guard let received = try? request.credentials() else { return [.code(.refused)] }
    chapters.begin(
      "The device has decrypted it, and shows:", "received",
      ["ssid": .text(received.ssid), "password": .text(received.password)])
    chapters.add("ssid:     \(PrintableText.escaped(received.ssid))")
    chapters.add("password: \(PrintableText.escaped(received.password))")
    return [.code(.accepted), .status(.connected)]
  }

  private func runApp(_ chapters: DemoChapters, _ payloadSent: @Sendable () -> Void) async throws {
    let provisioner = LegacyUnauthenticatedProvisioner(managerOptions: Self.options)
    let attempt = provisioner.attempt(.name(name), with: credentials)
    for await step in attempt.progress {
      emit(step, chapters)
      if step == .sentPayload { payloadSent() }
    }
    let result: Result<LegacyUnauthenticatedResult, LegacyProvisioningError>
    do throws(LegacyProvisioningError) {
      result = .success(try await attempt.result())
    } catch {
      result = .failure(error)
    }
    if !output.json { chapters.space() }
    try ProvisioningReport(output).emit(result, target: name)
  }

  private func emit(_ step: LegacyUnauthenticatedProgress, _ chapters: DemoChapters) {
    if output.json { return ProvisioningReport(output).emit(step) }
    switch step {
    case .searching: chapters.begin("The app scans.")
    case .found(let name, let identifier):
      chapters.begin(
        "The app has found \(PrintableText.quoted(name ?? "")) (\(identifier.uuidString)), and connects.")
    case .connected: chapters.begin("The link is up. The app discovers services and characteristics.")
    case .discovered(let service): chapters.begin("\(service.rawValue) is there: the exchange will be encrypted.")
    case .subscribed: chapters.begin("The app has subscribed to F202, where the device's answers come from.")
    case .sentFrame(let frame, let values):
      emit(frame, "app → device, F201, \(values == 1 ? "one write" : "\(values) writes")", chapters)
    case .receivedFrame(let frame): emit(frame, "device → app, F202", chapters)
    case .unauthenticatedKeyAgreed:
      chapters.begin("Both have computed the same AES-192 key (secp192k1). Nothing proves to either who the other is.")
    case .sentPlainValue(let length): chapters.begin("The app has sent \(length) bytes in the clear.")
    case .sentPayload: chapters.add("decrypted: \(PrintableText.escaped(credentials.json))")
    case .answered(let answer): chapters.add("decrypted: \(PrintableText.escaped(answer.text))")
    case .disconnecting: chapters.begin("The app closes the link; both erase their keys.")
    }
  }

  private func emit(_ frame: LegacyFrame, _ way: String, _ chapters: DemoChapters) {
    let description = FrameDescription(frame)
    chapters.begin("\(way): the \(description.meaning).")
    chapters.add("type \(description.type), length \(frame.payload.count), then \(frame.payload.count) bytes:")
    let digits = Array(description.hexadecimal.dropFirst(8))
    chapters.add(String(description.hexadecimal.prefix(7)))
    for start in stride(from: 0, to: digits.count, by: 64) {
      chapters.add("  " + String(digits[start..<min(start + 64, digits.count)]))
    }
  }
}

/// Numbered steps on standard output.
final class DemoChapters: Sendable {
  private let output: EventOptions
  private let count = Counter()

  init(_ output: EventOptions) { self.output = output }

  /// A step; `event` names it in JSON, where a step without a name is not printed.
  func begin(_ line: String, _ event: String? = nil, _ fields: KeyValuePairs<String, JSONLine.Value> = [:]) {
    if output.json {
      if let event { output.emit(nil, event, fields) }
      return
    }
    let number = "\(count.next())"
    output.emit(String(repeating: " ", count: max(0, 2 - number.count)) + "\(number)  \(line)", "step")
  }

  /// A line that belongs to the step.
  func add(_ line: String) {
    if !output.json { output.emit("      \(line)", "step") }
  }

  /// An empty line.
  func space() { output.emit("", "step") }
}

/// Counts from one.
final class Counter: Sendable {
  private let value = Mutex(0)

  /// The next number.
  func next() -> Int {
    value.withLock { value in
      value += 1
      return value
    }
  }
}
