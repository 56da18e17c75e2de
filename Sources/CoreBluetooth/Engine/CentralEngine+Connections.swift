import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports

extension CentralEngine {
  func stateChanged(_ hostState: HostState) {
    guard let manager = state.withLock({ $0.manager }), manager.setState(hostState.shown(after: manager.state)) else {
      return
    }
    if manager.state != .poweredOn {
      let (peripherals, _) = state.withLock { state in
        state.scan = nil
        state.links = [:]
        defer { state.delayed = [:] }
        return (state.peripherals.values.compactMap(\.object), state.delayed)
      }
      for peripheral in peripherals { peripheral.radioWasLost() }
    }
    if manager.state == .poweredOn { resumeRestored() }
    saveState()
    manager.valuesChanged()
    // The delegate of now: an app that sets it, and reads the state of before, hears of the new one.
    callDelegate { $0.centralManagerDidUpdateState($1) }
  }

  func connected(_ link: LinkID, _ address: BluetoothAddress) {
    // If dropped, the connection will be canceled; if canceled, the end will be reported.
    guard let peripheral = existingPeripheral(at: address), peripheral.connected(link) else { return }
    state.withLock { $0.links[link] = Weak(peripheral) }
    callDelegate { $0.centralManager($1, didConnect: peripheral) }
    peripheral.startBackgroundRequests(on: link)
  }

  func connectionFailed(_ address: BluetoothAddress, _ status: HCIStatus) {
    guard let peripheral = existingPeripheral(at: address) else { return }
    let end = ended(peripheral)
    saveState()
    peripheral.valuesChanged()
    if end == .requested {
      reportDisconnection(peripheral, error: nil)
    } else {
      let error = Failures.connection(status)
      callDelegate { $0.centralManager($1, didFailToConnect: peripheral, error: error) }
    }
  }

  func disconnected(_ link: LinkID, _ address: BluetoothAddress, _ cause: DisconnectionCause) {
    state.withLock { $0.links[link] = nil }
    guard let peripheral = existingPeripheral(at: address), peripheral.state != .disconnected else { return }
    let end = ended(peripheral)
    saveState()
    peripheral.endMeasurements()
    peripheral.forgetDiscovery()
    peripheral.valuesChanged()
    guard end != .requested, case .reason(let reason) = cause else {
      return reportDisconnection(peripheral, error: nil)
    }
    reportDisconnection(peripheral, isReconnecting: end == .reconnecting, error: Failures.disconnection(reason))
  }

  private func reportDisconnection(_ peripheral: CBPeripheral, isReconnecting: Bool = false, error: CBError?) {
    callDelegate {
      $0.centralManager(
        $1, didDisconnectPeripheral: peripheral, timestamp: CFAbsoluteTimeGetCurrent(), isReconnecting: isReconnecting,
        error: error)
    }
  }

  /// Ends the connection, pending or up, of a peripheral that the app released.
  func dropped(_ address: BluetoothAddress, isInUse: Bool) {
    let (client, successor) = state.withLock { state in
      let successor = state.peripherals[address]?.object
      if successor == nil { state.peripherals[address] = nil }
      return (state.session.client, successor)
    }
    saveState()
    guard let client, isInUse else { return }
    let identifier = peers.peer(at: address).identifier
    Diagnostics.misuse(
      "Cancelling connection for unused peripheral \(identifier), did you forget to keep a reference to it?")
    command {
      true
    } _: { host, now in
      // A new object of the same device may wait for its start delay by now; it then connects when that is over.
      let isDelayed = !removeDelayed(at: address, unlessOf: successor)
      guard !isDelayed || host.isUsing(address, client) else { return }
      // Or it may want a connection at once.
      let isWanted = successor?.restartConnecting() ?? false
      host.disconnect(client, from: address, now: now)
      if isWanted && !isDelayed { host.connect(client, to: address, now: now) }
    }
  }

  func discovered(_ discovery: Discovery, at time: CFAbsoluteTime) {
    let name = discovery.data.localName
    peers.note(advertisedName: name, services: discovery.data.serviceUUIDs, of: discovery.address)
    let peripheral = peripheral(at: discovery.address)
    if let name, peers.peer(at: discovery.address).gapName == nil { _ = peripheral.setName(name) }
    let data = AdvertisementDictionary.make(of: discovery, at: time)
    let rssi = NSNumber(value: discovery.rssi)
    callDelegate { $0.centralManager($1, didDiscover: peripheral, advertisementData: data, rssi: rssi) }
  }
}
