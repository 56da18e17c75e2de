import Foundation

/// The lines of `ble scan` for people: each device is reported a moment after it was first seen, since its scan response comes as a
/// second advertisement, and again when its advertisement changes.
actor DeviceList {
  /// How long a scan response is waited for: a controller asks at once, and a device answers within its next event.
  static let patience = Duration.milliseconds(100)

  private var seen: [UUID: Advertisement] = [:]
  /// The devices that are not reported yet, in the order in which they were seen.
  private var waiting: [UUID] = []
  private let wait: @Sendable (Duration) async -> Void
  private let report: @Sendable (Advertisement) -> Void

  /// A list whose devices go to `report`.
  init(
    wait: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) },
    report: @escaping @Sendable (Advertisement) -> Void
  ) {
    self.wait = wait
    self.report = report
  }

  func add(_ advertisement: Advertisement) {
    let device = advertisement.identifier
    let known = seen.updateValue(advertisement, forKey: device)
    guard let known else {
      waiting.append(device)
      Task {
        await wait(Self.patience)
        settle(device)
      }
      return
    }
    if !waiting.contains(device), !known.isSame(as: advertisement) { report(advertisement) }
  }

  /// Ends the scan: devices that still wait are reported.
  func end() { while let device = waiting.first { settle(device) } }

  private func settle(_ device: UUID) {
    guard let index = waiting.firstIndex(of: device) else { return }
    waiting.remove(at: index)
    if let advertisement = seen[device] { report(advertisement) }
  }
}
