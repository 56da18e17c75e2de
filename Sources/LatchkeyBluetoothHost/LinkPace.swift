/// Limits the frames that may wait on a link to what it carries within a short time, by its recent throughput.
///
/// Behind a long queue a request would be old before it leaves, and the peer's own time for an answer would expire. The
/// limit is what the link carries in two seconds, within bounds.
struct LinkPace {
  /// Enough to keep a fast link busy between two runs of an app.
  static let most = 32
  static let least = 4
  /// The limit of a link without measured throughput.
  static let initial = 16
  /// How long a full queue may take to drain.
  static let horizon = Duration.seconds(2)
  /// How long a link is measured before its limit changes.
  static let period = Duration.seconds(1)

  private(set) var capacity = LinkPace.initial
  /// When the link began to have frames to send, and the number of frames sent by then.
  private var began: (at: Duration, sent: UInt64)?

  /// Starts the measurement when frames begin to wait.
  mutating func begin(sent: UInt64, now: Duration) {
    if began == nil { began = (now, sent) }
  }

  /// Updates the limit from the numbers of frames sent and queued by now.
  mutating func update(sent: UInt64, queued: Int, now: Duration) {
    guard let start = began else { return }
    let count = Int(truncatingIfNeeded: sent - start.sent)
    let elapsed = now - start.at
    if elapsed >= Self.period {
      let carried = Double(count) * (Self.horizon / elapsed)
      capacity = max(Self.least, min(Self.most, Int(min(carried, 1000))))
      began = (now, sent)
    } else if count >= capacity {
      capacity = min(Self.most, capacity * 2)
      began = (now, sent)
    }
    if queued == 0 { began = nil }
  }
}
