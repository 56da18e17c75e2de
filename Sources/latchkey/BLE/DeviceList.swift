import Foundation

/// Devices for eyes: each is told of a moment after it was first seen, since its scan response comes as a second
/// advertisement, and then whenever it says something new.
actor DeviceList {
  /// How long a scan response is waited for: a controller asks at once, and a device answers within its next event.
  static let patience = Duration.milliseconds(100)

  private var seen: [UUID: Advertisement] = [:]
  /// The devices that are still to be told of, in the order in which they were seen.
  private var waiting: [UUID] = []
  private let wait: @Sendable (Duration) async -> Void
  private let tell: @Sendable (Advertisement) -> Void

  /// A list whose lines go to `tell`.
  init(
    wait: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) },
    tell: @escaping @Sendable (Advertisement) -> Void
  ) {
    self.wait = wait
    self.tell = tell
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
    if !waiting.contains(device), !known.isSame(as: advertisement) { tell(advertisement) }
  }

  /// The scan is over: who still waits is told of.
  func end() { while let device = waiting.first { settle(device) } }

  private func settle(_ device: UUID) {
    guard let index = waiting.firstIndex(of: device) else { return }
    waiting.remove(at: index)
    if let advertisement = seen[device] { tell(advertisement) }
  }
}
