import LatchkeyBluetoothTransports
import Synchronization

/// One place of a device's way, and when it is there.
public struct PathPoint: Sendable, Equatable {
  /// The time since the beginning of the way.
  public var time: Duration
  /// The distance to the apps, meters.
  public var distance: Double

  /// A place.
  public init(at time: Duration, distance: Double) {
    self.time = time
    self.distance = distance
  }
}

// The air between a device and the apps.
extension TestDevice {
  /// The distance to the apps in meters; nil next to them. The signal fades with it, and beyond some 100 m nothing is
  /// received: the device is not found, and links end by their supervision timeouts.
  public var distance: Double? {
    get { air.withLock { $0.distance } }
    set {
      air.withLock { $0.distance = newValue }
      applyAir()
    }
  }

  /// The signal strength at the apps in dBm; nil for that of the distance.
  public var rssi: Int8? {
    get { air.withLock { $0.rssi } }
    set {
      air.withLock { air in
        air.rssi = newValue
        // A recorded signal ends with what a test says.
        air.signal?.cancel()
        air.signal = nil
      }
      applyAir()
    }
  }

  /// The probability that a transmission is lost, 0...1; nil for the radio's own.
  public var loss: Double? {
    get { air.withLock { $0.loss } }
    set {
      air.withLock { $0.loss = newValue }
      applyAir()
    }
  }

  /// Takes the device out of range: as far away as no radio reaches.
  public func leaveRange() { distance = 1_000_000 }

  /// Moves the device along a way, at constant speed between two places; it stays at the last one.
  ///
  /// - Parameters:
  ///   - points: in the order of their times.
  ///   - step: how often its distance is set.
  public func follow(_ points: [PathPoint], step: Duration = .milliseconds(100)) {
    let number = air.withLock { air in
      air.path?.cancel()
      air.path = nil
      air.pathNumber += 1
      return air.pathNumber
    }
    guard !points.isEmpty else { return }
    move(points, from: radio.scheduler.now, step: max(step, .milliseconds(1)), number)
  }

  private func move(_ points: [PathPoint], from start: Duration, step: Duration, _ number: Int) {
    guard air.withLock({ $0.pathNumber == number }) else { return }
    let elapsed = radio.scheduler.now - start
    distance = Self.distance(on: points, after: elapsed)
    guard let last = points.last, elapsed < last.time else { return }
    let next = min(step, last.time - elapsed)
    let timer = radio.scheduler.makeTimer(at: radio.scheduler.now + next) { [weak self] in
      self?.move(points, from: start, step: step, number)
    }
    air.withLock { if $0.pathNumber == number { $0.path = timer } }
  }

  /// The place on a way after some time.
  static func distance(on points: [PathPoint], after time: Duration) -> Double? {
    guard let next = points.firstIndex(where: { $0.time > time }) else { return points.last?.distance }
    guard next > 0 else { return points[next].distance }
    let (from, to) = (points[next - 1], points[next])
    let share = (time - from.time) / (to.time - from.time)
    return from.distance + (to.distance - from.distance) * share
  }

  /// Gives the device the signal strengths of a recording, at their times after the first; the last one stays.
  func follow(_ points: [SignalPoint]) {
    if let first = points.first { follow(points[...], since: radio.scheduler.now - first.time) }
  }

  private func follow(_ points: ArraySlice<SignalPoint>, since start: Duration) {
    let next = points.firstIndex { start + $0.time > radio.scheduler.now } ?? points.endIndex
    if let current = points[..<next].last { rssi = current.rssi }
    guard next < points.endIndex else { return }
    let timer = radio.scheduler.makeTimer(at: start + points[next].time) { [weak self] in
      self?.follow(points[next...], since: start)
    }
    air.withLock { $0.signal = timer }
  }

  /// Sets the air to all apps.
  private func applyAir() {
    let current = air.withLock { (distance: $0.distance, rssi: $0.rssi, loss: $0.loss) }
    for phone in phones.names {
      radio.setDistance(current.distance, between: name, and: phone)
      radio.setRSSI(current.rssi, between: name, and: phone)
      radio.setLoss(current.loss, between: name, and: phone)
    }
  }

  /// Sets the air to an app that is new on the radio: only what was set, since each setting is a change for the radio, and
  /// many phones meet many devices.
  func applyAir(toNew phone: String) {
    let current = air.withLock { (distance: $0.distance, rssi: $0.rssi, loss: $0.loss) }
    if let distance = current.distance { radio.setDistance(distance, between: name, and: phone) }
    if let rssi = current.rssi { radio.setRSSI(rssi, between: name, and: phone) }
    if let loss = current.loss { radio.setLoss(loss, between: name, and: phone) }
  }
}
