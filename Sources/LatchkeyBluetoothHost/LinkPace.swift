/// How many frames may wait on a link: no more than it would carry within a short time, as far as it showed lately.
///
/// Behind a long queue a request would be old before it leaves, and a peer's own time for an answer would run out. So the
/// queue is as long as what the link carries in two seconds, within limits.
struct LinkPace {
  /// Enough to keep a fast link busy between two wakes of an app.
  static let most = 32
  static let least = 4
  /// A link of which nothing is known yet.
  static let initial = 16
  /// What a full queue may take to leave.
  static let horizon = Duration.seconds(2)
  /// How long a link is watched before it is judged.
  static let period = Duration.seconds(1)

  private(set) var capacity = LinkPace.initial
  /// Since when the link has had something to send, and how many frames it had sent by then.
  private var began: (at: Duration, sent: UInt64)?

  /// Frames begin to wait, or wait still.
  mutating func begin(sent: UInt64, now: Duration) {
    if began == nil { began = (now, sent) }
  }

  /// So many frames have gone by now, and so many wait.
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
