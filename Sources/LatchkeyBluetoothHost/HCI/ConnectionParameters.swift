package import LatchkeyByteCoding

/// The timing of a link: four numbers in this order in HCI commands and events and in L2CAP signalling (Core 6.0 Vol 4
/// Part E 7.8.12, Vol 3 Part A 4.20).
package struct ConnectionParameters: Sendable, Hashable {
  /// Units of 1.25 ms, 6...3200.
  package var minimumInterval: UInt16
  /// Units of 1.25 ms, 6...3200.
  package var maximumInterval: UInt16
  /// Connection events that the peripheral may skip, 0...499.
  package var latency: UInt16
  /// Units of 10 ms, 10...3200.
  package var supervisionTimeout: UInt16

  /// The defaults are 15...30 ms, no latency, lost after 5 s.
  package init(
    minimumInterval: UInt16 = 12, maximumInterval: UInt16 = 24, latency: UInt16 = 0, supervisionTimeout: UInt16 = 500
  ) {
    self.minimumInterval = minimumInterval
    self.maximumInterval = maximumInterval
    self.latency = latency
    self.supervisionTimeout = supervisionTimeout
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    minimumInterval = try reader.uint16("Connection_Interval_Min")
    maximumInterval = try reader.uint16("Connection_Interval_Max")
    latency = try reader.uint16("Max_Latency")
    supervisionTimeout = try reader.uint16("Supervision_Timeout")
  }

  package func encode(into writer: inout ByteWriter) {
    writer.uint16(minimumInterval)
    writer.uint16(maximumInterval)
    writer.uint16(latency)
    writer.uint16(supervisionTimeout)
  }

  /// Whether each number is in its range, and the timeout longer than two intervals at full latency.
  package var isValid: Bool {
    // The timeout exceeds (1 + latency) * interval * 2; in units of 2.5 ms it is four times its number.
    6...3200 ~= minimumInterval && 6...3200 ~= maximumInterval && minimumInterval <= maximumInterval
      && latency <= 499 && 10...3200 ~= supervisionTimeout
      && Int(supervisionTimeout) * 4 > (1 + Int(latency)) * Int(maximumInterval)
  }

  /// Whether a central accepts them when a peer requests them: valid, and within Apple's accessory design guidelines. A
  /// peer that is heard less often than every 2 s, or missed for long, is of no use to an app; one that is heard more
  /// often than every 15 ms keeps the radio from all others.
  package var isAcceptable: Bool {
    // The peer is heard at least every (1 + latency) * interval; in units of 1.25 ms, 2 s are 1600.
    let longestSilence = (1 + Int(latency)) * Int(maximumInterval)
    return isValid && minimumInterval >= 12 && latency <= 30 && longestSilence <= 1600
      && 200...600 ~= supervisionTimeout && Int(supervisionTimeout) * 8 > 3 * longestSilence
  }
}

/// The expected duration of a connection event; a hint (Core 6.0 Vol 4 Part E 7.8.12).
package struct ConnectionEventLength: Sendable, Hashable {
  /// Units of 0.625 ms.
  package var minimum: UInt16
  /// Units of 0.625 ms.
  package var maximum: UInt16

  package init(minimum: UInt16 = 0, maximum: UInt16 = 0) {
    self.minimum = minimum
    self.maximum = maximum
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    minimum = try reader.uint16("Min_CE_Length")
    maximum = try reader.uint16("Max_CE_Length")
  }

  package func encode(into writer: inout ByteWriter) {
    writer.uint16(minimum)
    writer.uint16(maximum)
  }
}
