import CoreBluetooth

/// The values to notify of each central while the radio's queue is full.
struct AnswerOutbox {
  private struct Line {
    let central: CBCentral
    var values: ArraySlice<[UInt8]> = []
    var byteCount = 0
  }

  /// The number of bytes that may wait for one central: a few of the longest frames.
  static let maximumByteCount = 4 * 65_536

  private var lines: [LegacyDevicePeer: Line] = [:]

  /// Adds the values of one answer; adds nothing and returns false if too many bytes wait already.
  mutating func append(_ values: [[UInt8]], for peer: LegacyDevicePeer, to central: CBCentral) -> Bool {
    var line = lines.removeValue(forKey: peer) ?? Line(central: central)
    let byteCount = values.reduce(0) { $0 + $1.count }
    let fits = line.byteCount + byteCount <= Self.maximumByteCount
    if fits {
      line.values += values
      line.byteCount += byteCount
    }
    lines[peer] = line
    return fits
  }

  /// Removes the values that wait for `peer`.
  mutating func drop(_ peer: LegacyDevicePeer) { lines[peer] = nil }

  /// Passes values to `send`, one central after the other, until it returns false or no value is left.
  mutating func flush(_ send: (_ value: [UInt8], _ service: LegacyService, _ central: CBCentral) -> Bool) {
    for peer in lines.keys {
      while let line = lines[peer], let value = line.values.first {
        guard send(value, peer.service, line.central) else { return }
        lines[peer]?.values.removeFirst()
        lines[peer]?.byteCount -= value.count
      }
      lines[peer] = nil
    }
  }
}
