import LatchkeyBluetoothEmulator
import Synchronization

/// The receivers of controllers' packets.
final class PortTable: Sendable {
  private let receivers = Mutex<[ControllerID: any ControllerTransportReceiver]>([:])

  /// Connects a controller to its receiver.
  ///
  /// - Returns: false if it has one already.
  func connect(_ receiver: any ControllerTransportReceiver, to controller: ControllerID) -> Bool {
    receivers.withLock { receivers in
      guard receivers[controller] == nil else { return false }
      receivers[controller] = receiver
      return true
    }
  }

  func disconnect(_ controller: ControllerID) {
    receivers.withLock { _ = $0.removeValue(forKey: controller) }
  }

  func perform(_ output: consuming RadioOutput) {
    switch consume output {
    case .packet(let packet, let controller): receiver(of: controller)?.transportReceived(packet)
    case .power(true, let controller): receiver(of: controller)?.transportOpened()
    case .power(false, let controller): receiver(of: controller)?.transportClosed(nil)
    }
  }

  private func receiver(of controller: ControllerID) -> (any ControllerTransportReceiver)? {
    receivers.withLock { $0[controller] }
  }
}
