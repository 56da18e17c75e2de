import CoreBluetooth
import Foundation

/// The requests that a device answers wrongly, late or never.
struct RequestFaults {
  enum Kind: Sendable { case read, write, subscribe }

  enum Effect: Sendable, Equatable {
    /// The request is refused.
    case refusal(CBATTError.Code)
    /// The request is handled after this time.
    case delay(Duration)
    /// The request is never answered.
    case silence
  }

  private struct Fault {
    let kind: Kind
    let characteristic: Int
    let effect: Effect
    /// How many more requests it concerns; nil for all.
    var times: Int?
  }

  private var faults: [Fault] = []
  /// How many writes arrive before one loses the link; nil for no loss.
  private var writesBeforeLoss: Int?

  /// Adds a fault, after those that are there.
  mutating func add(_ kind: Kind, _ characteristic: Int, _ effect: Effect, times: Int?) {
    if let times, times <= 0 { return }
    faults.append(Fault(kind: kind, characteristic: characteristic, effect: effect, times: times))
  }

  /// Loses the link at the n-th write from now.
  mutating func loseLink(atWrite number: Int) { writesBeforeLoss = max(number, 1) - 1 }

  /// Removes all faults.
  mutating func removeAll() { self = RequestFaults() }

  /// The effect on a request, the oldest fault first.
  mutating func take(_ kind: Kind, _ characteristic: Int) -> Effect? {
    guard let index = faults.firstIndex(where: { $0.kind == kind && $0.characteristic == characteristic }) else {
      return nil
    }
    let effect = faults[index].effect
    if let times = faults[index].times {
      faults[index].times = times - 1
      if times == 1 { faults.remove(at: index) }
    }
    return effect
  }

  /// Counts a write. Returns whether it loses the link.
  mutating func losesLink() -> Bool {
    guard let count = writesBeforeLoss else { return false }
    writesBeforeLoss = count == 0 ? nil : count - 1
    return count == 0
  }
}
