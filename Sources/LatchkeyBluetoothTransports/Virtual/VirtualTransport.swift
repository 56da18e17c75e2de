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
    let receiver = observed(receiver)
    let joined = radio.join(name, receiver)
    controller.withLock { $0 = joined }
    guard let joined else { return receiver.transportClosed("the controller '\(name)' has a host already") }
    radio.announcePower(of: joined)
  }

  private func observed(_ receiver: any ControllerTransportReceiver) -> any ControllerTransportReceiver {
    guard let observer = radio.observer else { return receiver }
    return ObservedReceiver(receiver: receiver, name: name, observer: observer)
  }

  /// Hands the packet to the controller.
  package func send(_ packet: consuming [UInt8]) {
    guard let controller = controller.withLock({ $0 }) else { return }
    radio.observer?(packet, .toController, name)
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

/// Sees a packet between a host and the controller of that name.
package typealias PacketObserver =
  @Sendable (_ packet: [UInt8], _ direction: PacketDirection, _ controller: String) -> Void

/// Shows an observer what a host receives.
private final class ObservedReceiver: ControllerTransportReceiver {
  private let receiver: any ControllerTransportReceiver
  private let name: String
  private let observer: PacketObserver

  init(receiver: any ControllerTransportReceiver, name: String, observer: @escaping PacketObserver) {
    self.receiver = receiver
    self.name = name
    self.observer = observer
  }

  func transportOpened() { receiver.transportOpened() }

  func transportReceived(_ packet: consuming [UInt8]) {
    observer(packet, .fromController, name)
    receiver.transportReceived(packet)
  }

  func transportClosed(_ reason: String?) { receiver.transportClosed(reason) }
}
