import CoreBluetooth
import Foundation

/// Whether an app does the recorded requests in their order.
struct StrictReplay {
  enum Result {
    /// The request is the expected one.
    case played(Int)
    /// It is another one.
    case differs
    /// A subscription has ended, which the end of a connection causes, too.
    case ignored
  }

  /// The next request of the tape.
  private(set) var position = 0

  mutating func play(_ request: ServedRequest, _ tape: CassetteTape) -> Result {
    if position < tape.requests.count, tape.requests[position].fits(request) {
      position += 1
      return .played(position - 1)
    }
    if case .subscription(_, false) = request { return .ignored }
    return .differs
  }
}

extension CassetteTape.Request {
  /// Whether an app's request is this one.
  fileprivate func fits(_ request: ServedRequest) -> Bool {
    switch (kind, request) {
    case (.read, .read(characteristic)), (.readRefusal, .read(characteristic)): true
    case (.write(let value, _, let wasWithoutAnswer), .write(characteristic, let written, let isWithoutAnswer)):
      wasWithoutAnswer == isWithoutAnswer && value.fits(written)
    case (.subscription(let wasOn), .subscription(characteristic, let isOn)): wasOn == isOn
    default: false
    }
  }
}
