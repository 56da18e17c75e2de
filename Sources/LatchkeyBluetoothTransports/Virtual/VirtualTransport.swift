import LatchkeyBluetoothEmulator
import Synchronization

/// The way to a controller on a virtual radio of this process. There is no thread between: a packet is through the
/// radio, and where nothing holds it up at the other host, when `send(_:)` returns.
package final class VirtualTransport: ControllerTransport {
  private let radio: VirtualRadio
  private let name: String
  private let controller = Mutex<ControllerID?>(nil)

  init(radio: VirtualRadio, name: String) {
    self.radio = radio
    self.name = name
  }

  /// Joins the controller of that name, putting it on the air if need be. One that has a host already is refused.
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

  /// Takes the controller off the air: it goes away with its host.
  package func close() {
    let joined = controller.withLock { controller in
      defer { controller = nil }
      return controller
    }
    if let joined { radio.leave(name, joined) }
  }
}
