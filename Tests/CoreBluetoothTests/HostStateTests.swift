import LatchkeyBluetoothHost
import Testing

@testable import CoreBluetooth

struct HostStateTests {
  @Test("A new manager is unknown until another state is reported") func aNewManagerIsUnknownUntilItIsNot() {
    #expect(HostState.unknown.shown(after: .unknown) == .unknown)
    #expect(HostState.poweredOn.shown(after: .unknown) == .poweredOn)
    #expect(HostState.poweredOff.shown(after: .unknown) == .poweredOff)
    #expect(HostState.unsupported.shown(after: .unknown) == .unsupported)
  }

  @Test("A reinitialization is not reported as unknown") func initializingAgainIsNotUnknown() {
    #expect(HostState.unknown.shown(after: .poweredOff) == .poweredOff)
    #expect(HostState.unknown.shown(after: .poweredOn) == .resetting)
    #expect(HostState.unknown.shown(after: .resetting) == .resetting)
    #expect(HostState.resetting.shown(after: .poweredOn) == .resetting)
  }
}
