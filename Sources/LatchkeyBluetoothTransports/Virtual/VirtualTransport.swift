import LatchkeyBluetoothEmulator
import Synchronization

/// The connection to a controller on a virtual radio of this process. There is no thread in between: when `send(_:)`
/// returns, a packet has passed the radio and, unless it has to wait, the other host.
package final class VirtualTransport: ControllerTransport {
  private let radio: VirtualRadio
  private let name: String
  private let controller = Mutex<ControllerID?>(nil)

  init(radio: VirtualRadio, name: String) {
    self.radio = radio
    self.name = name
  }

  /// Connects to the controller of that name, adding it if necessary. One that has a host already is refused.
  package func open(_ receiver: any ControllerTransportReceiver) {
    let joined = radio.join(name, receiver)
    controller.withLock { $0 = joined }
    guard let joined else { return receiver.transportClosed("the controller '\(name)' has a host already") }
    radio.announcePower(of: joined)
  }

  /// Hands the packet to the controller.
  package func send(_ packet: consuming [UInt8]) {
    guard let controller = controller.withLock({ $0 }) else { return }
    radio.receive(consume packet, from: controller)
  }

  /// Removes the controller, since its host is gone.
  package func close() {
    let joined = controller.withLock { controller in
      defer { controller = nil }
      return controller
    }
    if let joined { radio.leave(name, joined) }
  }
}
