package import CoreBluetooth
import Foundation

/// What a device advertises for a time, one after the other and then from the first again.
package struct AdvertisingTurn: Sendable, Equatable {
  package var data: AdvertisedData
  /// The physical layer of extended advertising; nil for legacy packets.
  package var phy: String?
  package var duration: Duration

  package init(_ data: AdvertisedData, phy: String? = nil, duration: Duration) {
    self.data = data
    self.phy = phy
    self.duration = duration
  }
}

// The turns of an advertisement.
extension DefinitionServer {
  /// Advertises what the definition says, or the current one of the turns.
  func advertise(_ manager: CBPeripheralManager) {
    var data: [String: Any] = [CBAdvertisementDataServiceUUIDsKey: definition.advertisement.services]
    if turns.isEmpty {
      data[CBAdvertisementDataLocalNameKey] = definition.advertisement.localName
      data[CBPeripheralManagerAdvertisingPHYKey] = definition.advertisement.phy
      data[CBPeripheralManagerAdvertisedDataKey] = definition.advertisement.advertisedData
    } else {
      let turn = turns[turnIndex]
      // Not in the data of a turn, but the name in Generic Access.
      data[CBAdvertisementDataLocalNameKey] = definition.name
      data[CBPeripheralManagerAdvertisingPHYKey] = turn.phy
      data[CBPeripheralManagerAdvertisedDataKey] = turn.data
      armTurn()
    }
    manager.startAdvertising(data)
  }

  private func armTurn() {
    guard turns.count > 1 else { return }
    turnNumber += 1
    let number = turnNumber
    turnTimer = makeTimer(turns[turnIndex].duration) { server in
      guard server.turnNumber == number, server.advertises, let manager = server.manager else { return }
      // A controller that is switched off goes on with the same turn.
      guard manager.isAdvertising else { return server.armTurn() }
      server.turnIndex = (server.turnIndex + 1) % server.turns.count
      manager.stopAdvertising()
      server.advertise(manager)
    }
  }
}
