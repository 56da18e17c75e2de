import LatchkeyByteCoding

/// The sending half of a channel with credits: bytes become SDUs and frames, one for each of the peer's credits (Core
/// 6.0 Vol 3 Part A 3.4.3, 10.1).
///
/// What one call writes is one SDU, or several full ones and the rest: peers may rely on these borders.
package struct ChannelSender: Sendable {
  /// How many bytes may wait.
  package static let capacity = 32768
  /// How many SDUs may wait.
  static let mostSDUs = 128

  private let mtu: Int
  private let mps: Int
  /// The frames that the peer accepts.
  package private(set) var credits: Int
  private var sdus = FrameQueue()
  /// How many bytes of the first SDU were sent; nil if it has not begun.
  private var sent: Int?
  private var queued = 0
  /// Whether a write found too little room.
  private var isWaited = false

  /// A sender to a peer with these limits.
  package init(_ peer: ChannelParameters) {
    mtu = min(Int(max(peer.mtu, ChannelParameters.least)), Self.capacity)
    mps = Int(max(peer.mps, ChannelParameters.least))
    credits = Int(peer.credits)
  }

  /// Whether nothing waits.
  package var isEmpty: Bool { sdus.isEmpty }

  /// Queues bytes, as many as there is room for. Returns how many; if not all, `becameWritable()` is true later.
  package mutating func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    var count = 0
    while count < bytes.count, sdus.count < Self.mostSDUs, queued < Self.capacity {
      let end = min(count + mtu, bytes.count, count + Self.capacity - queued)
      sdus.append([UInt8](bytes[count..<end]))
      queued += end - count
      count = end
    }
    if count < bytes.count { isWaited = true }
    return count
  }

  /// Whether a write would be accepted; if not, `becameWritable()` is true later.
  package mutating func canWrite() -> Bool {
    if sdus.count < Self.mostSDUs, queued < Self.capacity { return true }
    isWaited = true
    return false
  }

  /// Whether half of the room is free again after a write found too little; true once each time.
  package mutating func becameWritable() -> Bool {
    guard isWaited, sdus.count <= Self.mostSDUs / 2, queued <= Self.capacity / 2 else { return false }
    isWaited = false
    return true
  }

  /// Adds the peer's credits.
  ///
  /// - Throws: if they are none, or too many. The channel has to end.
  package mutating func add(credits count: UInt16) throws(ChannelViolation) {
    guard count > 0, credits + Int(count) <= 0xFFFF else { throw .invalidCredits }
    credits += Int(count)
  }

  /// The next frame; nil without data or credits.
  ///
  /// Frames fit into one packet of the controller, so that other channels of the link need not wait for the rest of one.
  /// A peer's credits may be too few to send the SDU like this, and come back only after all of it: then frames are as
  /// long as the peer takes them.
  package mutating func nextFrame(packetLength: Int) -> [UInt8]? {
    guard credits > 0, !sdus.isEmpty else { return nil }
    let sdu = sdus.first
    let start = sent ?? 0
    let header = sent == nil ? 2 : 0
    let rest = sdu.count - start + header
    var length = min(mps, max(packetLength - 4, Int(ChannelParameters.least)))
    if rest > length * credits { length = mps }
    let end = start + min(length, rest) - header
    credits -= 1
    queued -= end - start
    var frame = OutgoingFrame.writer(capacity: end - start + header)
    if sent == nil { frame.uint16(UInt16(sdu.count)) }
    frame.append(sdu[start..<end])
    if end == sdu.count {
      sent = nil
      _ = sdus.removeFirst()
    } else {
      sent = end
    }
    return frame.bytes
  }
}
