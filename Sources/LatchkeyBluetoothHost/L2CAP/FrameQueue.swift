/// A queue of frames: a ring that grows and is reused, so that a steady stream allocates nothing for the queue itself.
struct FrameQueue: Sendable {
  private var slots: [[UInt8]] = []
  private var head = 0
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// The oldest frame; empty if there is none.
  var first: [UInt8] { count > 0 ? slots[head] : [] }

  /// The length of the oldest frame; 0 if there is none.
  var firstCount: Int { count > 0 ? slots[head].count : 0 }

  mutating func append(_ frame: consuming [UInt8]) {
    if count == slots.count { grow() }
    // The number of slots is a power of two.
    slots[(head + count) & (slots.count - 1)] = frame
    count += 1
  }

  /// Removes and returns the oldest frame. The queue keeps no reference, so the caller may change it in place.
  mutating func removeFirst() -> [UInt8]? {
    guard count > 0 else { return nil }
    var frame: [UInt8] = []
    swap(&frame, &slots[head])
    head = (head + 1) & (slots.count - 1)
    count -= 1
    return frame
  }

  /// Removes matching frames, wherever they are.
  mutating func removeAll(where isUnwanted: ([UInt8]) -> Bool) {
    for _ in 0..<count {
      if let frame = removeFirst(), !isUnwanted(frame) { append(frame) }
    }
  }

  private mutating func grow() {
    var larger: [[UInt8]] = []
    larger.reserveCapacity(max(4, slots.count * 2))
    larger.append(contentsOf: slots[head...])
    larger.append(contentsOf: slots[..<head])
    larger.append(contentsOf: repeatElement([], count: max(4, slots.count)))
    slots = larger
    head = 0
  }
}
