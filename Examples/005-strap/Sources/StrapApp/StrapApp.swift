import Foundation

/// The app behind its screens: what they show, and what their buttons do. Any thread may ask and tap.
///
/// Unchecked: its state belongs to its queue.
public final class StrapApp: @unchecked Sendable {
  /// Below this level, in percent, the user is warned, once until the battery has been changed.
  public static let lowBattery = 15
  static let freshBattery = 30

  private let queue = DispatchQueue(label: "strap")
  private let clock: AppClock
  private var central: StrapCentral?
  private var workoutNow: Workout
  private var measurement: HeartRateMeasurement?
  private var level: Int?
  private var isWarned = false
  private var messages: [String] = []
  private var history: [StrapStatus] = []
  private let onChange: @Sendable (String) -> Void

  /// - Parameters:
  ///   - highestRate: what the user's heart can reach, beats per minute.
  ///   - onChange: gets a line for each change that the screen shows.
  public init(
    clock: AppClock = .system, memory: StrapMemory = .defaults, highestRate: Int = 190,
    onChange: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.clock = clock
    self.onChange = onChange
    workoutNow = Workout(highestRate: highestRate)
    central = StrapCentral(queue: queue, clock: clock, memory: memory) { [weak self] in self?.handle($0) }
  }

  // MARK: Buttons

  /// Looks for the strap, as at the app's launch.
  public func start() { queue.sync { central?.start() } }

  /// Ends the workout, and leaves the strap.
  public func stop() { queue.sync { central?.stop() } }

  /// Tries again after a failure.
  public func retry() { queue.async { self.central?.retry() } }

  /// Lets the strap count energy from 0.
  public func resetEnergy() { queue.async { self.central?.resetEnergy() } }

  // MARK: Screens

  /// Where the app is on its way to the strap.
  public var status: StrapStatus { queue.sync { central?.status ?? .stopped } }

  /// All that `status` was, in order.
  public var statuses: [StrapStatus] { queue.sync { history } }

  /// Beats per minute; nil while the strap is away or has no contact.
  public var heartRate: Int? {
    queue.sync { measurement.flatMap { $0.contact == .lost ? nil : $0.beatsPerMinute } }
  }

  /// Kilojoules, if the strap counts them.
  public var energy: Int? { queue.sync { measurement?.energy } }

  /// The times between the latest beats, in seconds.
  public var intervals: [TimeInterval] { queue.sync { measurement?.intervals ?? [] } }

  /// In percent, if the strap tells.
  public var batteryLevel: Int? { queue.sync { level } }

  /// What the user was told, the oldest first.
  public var alerts: [String] { queue.sync { messages } }

  /// The workout so far.
  public var workout: Workout { queue.sync { workoutNow } }

  // MARK: Events

  private func handle(_ event: StrapCentral.Event) {
    switch event {
    case .status(let status): changed(status)
    case .measurement(let new):
      measurement = new
      if new.contact == .lost {
        workoutNow.pause()
        onChange("no contact with the skin")
      } else {
        workoutNow.add(new.beatsPerMinute, at: clock.now())
        onChange("\(new.beatsPerMinute) bpm")
      }
    case .battery(let level): battery(level)
    case .energyReset(let isDone): alert(isDone ? "The energy counts from 0." : "The strap does not reset its energy.")
    }
  }

  private func changed(_ status: StrapStatus) {
    history.append(status)
    if status != .measuring {
      measurement = nil
      workoutNow.pause()
    }
    switch status {
    case .stopped: onChange(workoutNow.text)
    case .bluetoothOff: onChange("Bluetooth is off")
    case .searching: onChange("searching")
    case .connecting: onChange("connecting")
    case .preparing: onChange("connected")
    case .measuring: onChange("measuring")
    case .waiting(let seconds): onChange("lost; the next attempt is in \(Int(seconds)) s")
    case .failed(let problem): alert(problem.message)
    }
  }

  private func battery(_ level: Int) {
    self.level = level
    if level >= Self.freshBattery { isWarned = false }
    guard level < Self.lowBattery, !isWarned else { return }
    isWarned = true
    alert("The strap's battery is at \(level) %. Change it soon.")
  }

  private func alert(_ message: String) {
    messages.append(message)
    onChange(message)
  }
}
