import Foundation

/// A value of the characteristic 2A37 (Heart Rate Service 1.0, 3.1).
public struct HeartRateMeasurement: Equatable, Sendable {
  /// What the strap knows of its contact with the skin.
  public enum Contact: Equatable, Sendable {
    case unknown, lost, good
  }

  /// The rate.
  public var beatsPerMinute: Int
  /// Whether the strap lies on the skin.
  public var contact: Contact
  /// Kilojoules since the last reset; nil if the strap does not count them.
  public var energy: Int?
  /// The times between the latest beats, in seconds.
  public var intervals: [TimeInterval]

  /// Nil for bytes that end before the fields that their flags promise.
  public init?(_ data: Data) {
    var fields = LittleEndianFields(data)
    guard let flags = fields.byte(), let rate = flags & 0x01 == 0 ? fields.byte() : fields.word() else { return nil }
    beatsPerMinute = rate
    // Bit 2: whether the strap has a sensor of contact; bit 1: what it says.
    contact = flags & 0x04 == 0 ? .unknown : flags & 0x02 == 0 ? .lost : .good
    if flags & 0x08 != 0 {
      guard let kilojoules = fields.word() else { return nil }
      energy = kilojoules
    }
    intervals = []
    guard flags & 0x10 != 0 else { return }
    while let interval = fields.word() { intervals.append(TimeInterval(interval) / 1024) }
  }
}

/// Numbers from the front of a value, the least significant byte first.
private struct LittleEndianFields {
  private var bytes: ArraySlice<UInt8>

  init(_ data: Data) { bytes = [UInt8](data)[...] }

  mutating func byte() -> Int? { bytes.popFirst().map { Int($0) } }

  mutating func word() -> Int? {
    guard bytes.count >= 2, let low = byte(), let high = byte() else { return nil }
    return high << 8 | low
  }
}
