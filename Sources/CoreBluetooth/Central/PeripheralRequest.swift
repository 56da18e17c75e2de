import LatchkeyBluetoothHost

/// One request of an app to a peripheral, from the call to the callback.
///
/// Requests are answered in the order of the calls, including those that fail before they reach the engine: apps
/// distinguish answers by their order alone. Unchecked: `outcome` is set once and read under the peripheral's lock.
final class PeripheralRequest: @unchecked Sendable {
  /// Reports the outcome to the delegate, on the manager's queue.
  let answer: (CBPeripheral, GATTOutcome) -> Void
  var outcome: GATTOutcome?

  init(_ answer: @escaping (CBPeripheral, GATTOutcome) -> Void) { self.answer = answer }
}

extension CBPeripheral {
  /// Submits a procedure to the peer.
  func submit(
    _ procedure: GATTProcedure, on link: LinkID, mayRaiseSecurity: Bool = true,
    answer: @escaping (CBPeripheral, GATTOutcome) -> Void
  ) {
    let request = PeripheralRequest(answer)
    current.withLock { $0.requests.append(request) }
    // Unchecked: weak references may be read by any thread, and `complete` uses the peripheral under its lock.
    let peripheral = Unchecked(Weak(self))
    engine.submit(procedure, link: link, mayRaiseSecurity: mayRaiseSecurity) { outcome in
      peripheral.value.object?.complete(request, outcome)
    }
  }

  /// Answers a request locally, in order.
  func answerLocally(_ outcome: GATTOutcome, answer: @escaping (CBPeripheral, GATTOutcome) -> Void) {
    let request = PeripheralRequest(answer)
    current.withLock { $0.requests.append(request) }
    complete(request, outcome)
  }

  private func complete(_ request: PeripheralRequest, _ outcome: GATTOutcome) {
    current.withLock { state in
      request.outcome = outcome
      // Under the lock, so that two threads cannot deliver in the wrong order.
      while let first = state.requests.first, let outcome = first.outcome {
        state.requests.removeFirst()
        engine.callbacks.append(.answer(self, first, outcome), to: engine)
      }
    }
  }
}

extension GATTOutcome {
  /// The error that an app gets for a failure.
  var error: (any Error)? {
    guard case .failed(let failure) = self else { return nil }
    return Failures.error(failure)
  }
}
