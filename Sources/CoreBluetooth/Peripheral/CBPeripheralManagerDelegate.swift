public import Foundation

/// Receives the callbacks of a peripheral manager, on the manager's queue.
///
/// All but `peripheralManagerDidUpdateState(_:)` are optional.
public protocol CBPeripheralManagerDelegate: NSObjectProtocol {
  /// The manager's state changed. Commands are accepted only in `poweredOn`; in any other state advertising and
  /// connections have ended, and below `poweredOff` the services are gone too.
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager)

  /// Advertising began, or failed to, after `startAdvertising(_:)`.
  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?)

  /// A service was added, or refused, after `add(_:)`.
  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?)

  /// A central subscribed to a characteristic.
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic)

  /// A central unsubscribed from a characteristic, or disconnected.
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic)

  /// A central reads a value. Set `request.value` and answer, once.
  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest)

  /// A central writes one value or more, all or nothing. Answer the first request, once.
  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest])

  /// Updates are accepted again, after `updateValue(_:for:onSubscribedCentrals:)` returned false.
  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager)

  /// The manager begins with the state of an earlier process, which used the same restore identifier: called before the
  /// first state. The services are published already; advertising resumes when the radio is on. Neither is reported again.
  func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any])

  /// A channel was published under a number, or not, after `publishL2CAPChannel(withEncryption:)`.
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)

  /// A channel is no longer published, after `unpublishL2CAPChannel(_:)`.
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)

  /// A central opened a channel.
  func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?)
}

extension CBPeripheralManagerDelegate {
  /// Does nothing.
  public func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {}

  /// Does nothing.
  public func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {}

  /// Does nothing.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {}

  /// Does nothing.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {}

  /// Answers that reading is not supported, so that the central does not wait until its timeout.
  public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    peripheral.respond(to: request, withResult: .requestNotSupported)
  }

  /// Answers that writing is not supported, so that the central does not wait until its timeout.
  public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    guard let first = requests.first else { return }
    peripheral.respond(to: first, withResult: .requestNotSupported)
  }

  /// Does nothing.
  public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {}

  /// Does nothing.
  public func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {}

  /// Does nothing.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {}

  /// Does nothing.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {}

  /// Does nothing.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?
  ) {}
}

/// A delegate that decides whether centrals may subscribe: for devices of tests, which refuse that. Apple's managers accept
/// every subscription that a characteristic's properties offer.
package protocol CBSubscriptionDelegate: CBPeripheralManagerDelegate {
  /// A central writes the client configuration of a characteristic that asks (`asksToSubscribe`): to subscribe, to change what
  /// it gets, or to unsubscribe. `respond(to:withResult:)` answers; with `success` the configuration takes effect.
  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveSubscription request: CBATTRequest)
}

/// A delegate that is told of the end of each link on which a central used the services. Apple's managers tell of the ends
/// of subscriptions alone.
package protocol CBDisconnectionDelegate: CBPeripheralManagerDelegate {
  /// The central's link with this number (`CBCentral.connection`) has ended; a new one of the same central may be up already.
  func peripheralManager(_ peripheral: CBPeripheralManager, central: CBCentral, didEndConnection connection: UInt32)
}
