public import Foundation
import LatchkeyBluetoothHost

/// A central's request to read or write a value; answered by `CBPeripheralManager.respond(to:withResult:)`.
open class CBATTRequest: NSObject {
  /// The answer that a request, or several written together, wait for.
  final class Answer: Sendable {
    let id: ServerRequestID
    let isRead: Bool
    private let isGiven = Locked(false)

    init(id: ServerRequestID, isRead: Bool) {
      self.id = id
      self.isRead = isRead
    }

    /// Marks the answer as given. Returns true the first time.
    func give() -> Bool {
      isGiven.withLock { given in
        defer { given = true }
        return !given
      }
    }
  }

  /// Nil for a Write Command, which has no answer.
  let answer: Answer?
  /// Whether it is a Write Command.
  package var isWithoutAnswer: Bool { answer == nil }
  private let requester: CBCentral
  private let target: CBCharacteristic
  private let start: Int
  private let bytes: Locked<Data?>

  init(central: CBCentral, characteristic: CBCharacteristic, offset: Int, value: Data?, answer: Answer?) {
    requester = central
    target = characteristic
    start = offset
    bytes = Locked(value)
    self.answer = answer
    super.init()
  }

  /// The requesting central.
  open var central: CBCentral { requester }

  /// The app's own object of the characteristic.
  open var characteristic: CBCharacteristic { target }

  /// The offset of the first byte to read or write.
  open var offset: Int { start }

  /// The bytes that are written; or, set by the app, the bytes to return, from `offset` on.
  open var value: Data? {
    get { bytes.withLock { $0 } }
    set { bytes.withLock { $0 = newValue } }
  }
}
