package import CoreBluetooth
import Foundation

/// Who answers the requests of centrals, in place of a definition's behaviors: a machine, without clock and manager.
///
/// Characteristics are counted over all services, in the order of the definition. Discovery, descriptors, and what
/// permissions refuse are the peripheral manager's.
package protocol RequestAnswerer: Sendable {
  /// Handles a request.
  mutating func answer(_ request: ServedRequest, now: Duration) -> ServedAnswer
  /// When the next value is due; nil while none waits.
  var nextDeadline: Duration? { get }
  /// Removes and returns the values that are due, in order. Who is not subscribed misses them.
  mutating func takeDue(now: Duration) -> [ServedValue]
}

/// A request of a central.
package enum ServedRequest: Sendable, Equatable {
  /// A read that begins; later parts belong to it.
  case read(Int)
  /// A write, as a whole.
  case write(Int, Data, isWithoutAnswer: Bool)
  /// A subscription, or the end of the last one.
  case subscription(Int, isOn: Bool)
}

/// A value for subscribers.
package struct ServedValue: Sendable, Equatable {
  package let characteristic: Int
  package let value: Data

  package init(_ characteristic: Int, _ value: Data) {
    self.characteristic = characteristic
    self.value = value
  }
}

/// The answer to a request.
package struct ServedAnswer: Sendable, Equatable {
  package enum Outcome: Sendable, Equatable {
    /// The read returns this value.
    case value(Data)
    /// The read returns the current value; the write replaces it.
    case own
    /// The request is refused. A subscription is the manager's, and stays.
    case refusal(CBATTError.Code)
  }

  /// What is sent before the answer.
  package var before: [ServedValue] = []
  package var outcome: Outcome
  /// How the request differs from what was expected.
  package var difference: CassetteDifference?
}
