public import CoreBluetooth
import Foundation

extension DeviceDefinition {
  /// What happens when a value is read, written and subscribed to.
  public enum Behavior: Sendable, Equatable {
    /// Reads return the value, and a write replaces it.
    case stored
    /// Reads return the value; a write is accepted and changes nothing.
    case fixed
    /// Each read returns the next of these values; after the last one it begins again, or, without `repeats`, the last one
    /// stays.
    case sequence([Data], repeats: Bool = false)
    /// A write replaces the value and is sent to subscribers: of this characteristic, or of another one.
    case echo(to: CBUUID? = nil)
    /// While somebody is subscribed, the next of these values is sent at each interval, in turn. Reads return the last one.
    case notifyEvery(Duration, [Data])
    /// A write is compared with rules; the first that fits answers. Without one `otherwise` is the answer.
    case program([Rule], otherwise: CBATTError.Code = .success)
    /// The Record Access Control Point of the Glucose Service (GLS 3.4): the records, which begin with flags and a sequence
    /// number, are sent as notifications of another characteristic.
    case recordAccess(measurement: CBUUID, records: [Data])
  }

  /// One rule of a ``Behavior/program(_:otherwise:)``.
  public struct Rule: Sendable, Equatable {
    /// The bytes that a write begins with; with `isWhole`, the whole write.
    public var write: Data
    /// Whether the write must have no more bytes.
    public var isWhole: Bool
    /// The answer. With an error the value stays and nothing else happens.
    public var answer: CBATTError.Code
    /// What follows the answer, in order.
    public var then: [Action]

    /// A rule.
    public init(write: Data, isWhole: Bool = true, answer: CBATTError.Code = .success, then: [Action] = []) {
      self.write = write
      self.isWhole = isWhole
      self.answer = answer
      self.then = then
    }

    func fits(_ written: Data) -> Bool { isWhole ? written == write : written.starts(with: write) }
  }

  /// One step of a rule.
  public enum Action: Sendable, Equatable {
    /// Sends a value to the subscribers of this characteristic, or of another one.
    case notify(Data, of: CBUUID? = nil)
    /// Sets the value of this characteristic, or of another one.
    case set(Data, of: CBUUID? = nil)
    /// Waits, on the clock of the device's controller.
    case wait(Duration)
  }
}
