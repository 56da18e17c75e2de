/// A sans-I/O machine that a `MachineShell` can run: inputs go in through its own functions, outputs wait in a list, and
/// the time at which it wants to be called again is data.
package protocol TimedMachine: ~Copyable, SendableMetatype {
  /// What the machine wants done.
  associatedtype Output: Sendable

  /// When `handleTimeout(now:)` is due; nil for never. After `handleTimeout(now:)` it is nil or later than `now`.
  var nextDeadline: Duration? { get }

  /// Lets the machine do what is due at `now`.
  mutating func handleTimeout(now: Duration)

  /// Puts what is to be done, in order, into `list`, which is empty, and forgets it.
  ///
  /// Exchanging `list` with the machine's own list is the way: both allocations then live for ever, and a packet costs
  /// the shell no heap.
  mutating func exchangeOutputs(_ list: inout [Output])
}
