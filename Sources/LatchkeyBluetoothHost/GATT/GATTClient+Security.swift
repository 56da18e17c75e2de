// The security that a link needs: requests that wait for it, and those that go without.
extension GATTClient {
  /// Holds all requests until the link is secure, also the exchange of ATT_MTU if it has not begun: a controller that
  /// encrypts passes nothing on meanwhile.
  package mutating func hold() {
    isHeld = true
    if exchange == .done { exchange = .held }
  }

  /// Ends the hold, since the link is secure: a refused request is sent again.
  package mutating func resume() {
    heldRefusal = nil
    barred = nil
    release()
  }

  /// Ends the hold without security: the refusal stands, or the procedure ends with `failure`.
  package mutating func giveUp(_ failure: GATTFailure?, into outputs: inout [GATTClientOutput]) {
    release()
    guard let error = heldRefusal.take(), let outcome = procedure.refused(error) else { return }
    finish(failure.map { .failed($0) } ?? outcome, &outputs)
  }

  /// Ends all procedures, and those to come, with a failure: the link stays in clear, and must not be used so.
  package mutating func bar(_ failure: GATTFailure, into outputs: inout [GATTClientOutput]) {
    giveUp(failure, into: &outputs)
    hold()
    barred = failure
    while let entry = queue.popFirst() ?? background.popFirst() { fail(entry, &outputs) }
  }

  private mutating func release() {
    isHeld = false
    if exchange == .held { exchange = .done }
  }
}
