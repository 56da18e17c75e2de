/// A sans-I/O machine that a `MachineShell` can run: inputs go in through its own functions, outputs are queued, and
/// its next deadline is data.
package protocol TimedMachine: ~Copyable, SendableMetatype {
  /// An action that the machine requests.
  associatedtype Output: Sendable

  /// When to call `handleTimeout(now:)`; nil for never. After `handleTimeout(now:)` it is nil or later than `now`.
  var nextDeadline: Duration? { get }

  /// Performs the work that is due at `now`.
  mutating func handleTimeout(now: Duration)

  /// Moves the queued outputs, in order, into `list`, which is empty.
  ///
  /// Exchange `list` with the machine's own list: both allocations then live forever, and a packet allocates nothing in
  /// the shell.
  mutating func exchangeOutputs(_ list: inout [Output])
}
