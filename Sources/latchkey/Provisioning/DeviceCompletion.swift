import LatchkeyProvisioning
import Synchronization

/// When a device with --once is done: it has joined, is enrolled if it is to be, and no app is left that would want to hear of it.
final class DeviceCompletion: Sendable {
  /// What an event has come to.
  enum Progress {
    case unfinished
    /// The app has left a device that has joined, and has not given it its enrollment.
    case joinedOnly
    case done
  }

  private struct State {
    var hasJoined = false
    var isEnrolled: Bool
    var openSessions = 0
  }

  /// Yields once when the device is done.
  let done: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  private let state: Mutex<State>

  init(needsEnrollment: Bool) {
    state = Mutex(State(isEnrolled: !needsEnrollment))
    (done, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// The device is enrolled: perhaps after the app that wanted it was lost.
  func enrolled() { update { $0.isEnrolled = true } }

  @discardableResult
  func handle(_ event: ProvisionableDeviceEvent) -> Progress {
    switch event {
    case .opened: update { $0.openSessions += 1 }
    case .joined: update { $0.hasJoined = true }
    case .closed: update { $0.openSessions = max(0, $0.openSessions - 1) }
    default: .unfinished
    }
  }

  @discardableResult
  private func update(_ change: (inout State) -> Void) -> Progress {
    let progress: Progress = state.withLock { state in
      change(&state)
      guard state.hasJoined, state.openSessions == 0 else { return .unfinished }
      return state.isEnrolled ? .done : .joinedOnly
    }
    if progress == .done { continuation.yield() }
    return progress
  }
}
