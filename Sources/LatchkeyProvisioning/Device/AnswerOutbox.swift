import CoreBluetooth

/// The values to notify of each central while the radio's queue is full, in their order: those of several characteristics, too.
/// `Peer` names a central's connection, `Route` a characteristic.
struct AnswerOutbox<Peer: Hashable, Route: Equatable> {
  private struct Line {
    let central: CBCentral
    var values: ArraySlice<(route: Route, bytes: [UInt8])> = []
    var byteCount = 0
  }

  /// The number of bytes that may wait for one central: a few of the longest frames.
  static var maximumByteCount: Int { 4 * 65_536 }

  private var lines: [Peer: Line] = [:]

  /// Adds the values of one answer; adds nothing and returns false if too many bytes wait already.
  mutating func append(_ values: [[UInt8]], for peer: Peer, by route: Route, to central: CBCentral) -> Bool {
    var line = lines.removeValue(forKey: peer) ?? Line(central: central)
    let byteCount = values.reduce(0) { $0 + $1.count }
    let fits = line.byteCount + byteCount <= Self.maximumByteCount
    if fits {
      line.values += values.map { (route, $0) }
      line.byteCount += byteCount
    }
    lines[peer] = line
    return fits
  }

  /// Removes the values that wait for `peer`.
  mutating func drop(_ peer: Peer) { lines[peer] = nil }

  /// Removes the values of one characteristic that wait for `peer`.
  mutating func drop(_ peer: Peer, by route: Route) {
    guard var line = lines[peer] else { return }
    line.values.removeAll { $0.route == route }
    line.byteCount = line.values.reduce(0) { $0 + $1.bytes.count }
    lines[peer] = line.values.isEmpty ? nil : line
  }

  /// Passes values to `send`, one central after the other, until it returns false or no value is left.
  mutating func flush(_ send: (_ value: [UInt8], _ route: Route, _ central: CBCentral) -> Bool) {
    for peer in lines.keys {
      while let line = lines[peer], let value = line.values.first {
        guard send(value.bytes, value.route, line.central) else { return }
        lines[peer]?.values.removeFirst()
        lines[peer]?.byteCount -= value.bytes.count
      }
      lines[peer] = nil
    }
  }
}
