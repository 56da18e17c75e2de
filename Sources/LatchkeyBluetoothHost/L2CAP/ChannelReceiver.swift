package import LatchkeyByteCoding

/// The receiving half of a channel with credits: frames become SDUs, and credits go back as the app consumes them (Core
/// 6.0 Vol 3 Part A 3.4.3, 10.1).
///
/// SDUs that the app has not consumed count as many credits as frames of full length would have needed. The peer's
/// credits and these are never more than the window, so that they bound what waits, in bytes and in SDUs. A peer that
/// sends shorter frames gets credits for them while an SDU is incomplete, so it can always complete one.
package struct ChannelReceiver: Sendable {
  private let mtu: Int
  private let mps: Int
  private let window: Int

  /// The credits that the peer has.
  package private(set) var credits: Int
  /// The begun SDU, and the length that it will have; 0 between SDUs.
  private var sdu = ByteWriter(capacity: 0)
  private var length = 0
  /// The costs in credits of SDUs that were delivered and not consumed, oldest first.
  private var costs: [UInt16] = []
  private var delivered = 0

  /// A receiver whose peer has the first credits. The window has room for two SDUs at least.
  package init(_ parameters: ChannelParameters) {
    mtu = Int(max(parameters.mtu, ChannelParameters.least))
    mps = Int(max(parameters.mps, ChannelParameters.least))
    window = max(Int(parameters.credits), 2 * ((mtu + 1) / mps + 1))
    credits = Int(parameters.credits)
  }

  /// The credits that a number of bytes of one SDU costs.
  private func cost(_ count: Int) -> Int { (count + 2 + mps - 1) / mps }

  /// Handles the payload of a frame, and returns the SDU that it completes. An empty SDU is dropped.
  ///
  /// - Throws: what the peer did wrong. The channel has to end.
  package mutating func receive(_ payload: ByteReader) throws(ChannelViolation) -> [UInt8]? {
    guard credits > 0 else { throw .frameWithoutCredit }
    credits -= 1
    guard payload.remaining <= mps else { throw .frameTooLong }
    var payload = payload
    if length == 0 {
      guard let announced = try? payload.uint16("SDU length") else { throw .noLength }
      guard announced <= mtu else { throw .dataTooLong }
      guard payload.remaining <= announced else { throw .excessData }
      guard announced > 0 else { return nil }
      if payload.remaining == announced { return deliver(payload.remainingBytes()) }
      length = Int(announced)
      sdu = ByteWriter(capacity: length)
    }
    guard sdu.count + payload.remaining <= length else { throw .excessData }
    sdu.append(payload)
    guard sdu.count == length else { return nil }
    length = 0
    var whole = ByteWriter(capacity: 0)
    swap(&whole, &sdu)
    return deliver(whole.bytes)
  }

  private mutating func deliver(_ sdu: [UInt8]) -> [UInt8] {
    let cost = cost(sdu.count)
    costs.append(UInt16(cost))
    delivered += cost
    return sdu
  }

  /// Records that the app has consumed the oldest SDUs. A count above those that were delivered is clamped.
  package mutating func consumed(_ count: Int) {
    let count = min(max(count, 0), costs.count)
    for cost in costs[..<count] { delivered -= Int(cost) }
    costs.removeFirst(count)
  }

  /// The credits to return now; nil while they are less than half of the window.
  package mutating func creditsToReturn() -> UInt16? {
    let held = delivered + (length == 0 ? 0 : cost(sdu.count))
    let due = window - held - credits
    guard 2 * due >= window else { return nil }
    credits += due
    return UInt16(clamping: due)
  }
}
