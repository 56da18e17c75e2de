/// The durations on the air.
public struct AirTiming: Sendable, Hashable {
  /// From a controller's antenna to another's host.
  public var latency: Duration
  /// Link layer PDUs that each side may send in one connection event; nil when data does not wait for events.
  ///
  /// The events of a link are its connection interval apart (Core 6.0 Vol 6 Part B 4.5.1). What a side has before an event
  /// begins crosses in it; an answer to what arrives in an event crosses in the next one. The peripheral's latency is not used.
  public var pdusPerConnectionEvent: Int?
  /// Whether advertisers add the random 0...10 ms to each interval (Core 6.0 Vol 6 Part B 4.4.2.2.1).
  public var hasAdvertisingDelay: Bool
  /// Whether scanners receive only in their windows: an advertisement is received with probability window / interval.
  public var hasScanWindows: Bool

  /// Custom timing; the defaults are `instant`.
  public init(
    latency: Duration = .zero, pdusPerConnectionEvent: Int? = nil, hasAdvertisingDelay: Bool = false,
    hasScanWindows: Bool = false
  ) {
    self.latency = latency
    self.pdusPerConnectionEvent = pdusPerConnectionEvent.map { max(1, $0) }
    self.hasAdvertisingDelay = hasAdvertisingDelay
    self.hasScanWindows = hasScanWindows
  }

  /// Everything crosses in the call that sends it; advertisements still have their interval.
  public static let instant = AirTiming()

  /// Data waits for connection events, six PDUs each way in an event; advertisements jitter; scanners receive in their
  /// windows.
  public static let paced = AirTiming(pdusPerConnectionEvent: 6, hasAdvertisingDelay: true, hasScanWindows: true)

  /// Whether data crosses in the call that sends it.
  var isInstant: Bool { latency == .zero && pdusPerConnectionEvent == nil }
}
