import CoreBluetooth
import Foundation
import LatchkeyBluetoothEmulator
import LatchkeyBluetoothTransports
import LatchkeyProvisioningProtocol
import Synchronization
import Testing

@testable import LatchkeyProvisioning

/// What the shells around the machines add: stores, tasks, the radio, and requests that wait.
@Suite(.timeLimit(.minutes(5))) struct ShellTests {
  private static let hello =
    [0xC0, 0, 52, 0x30, 0, 49, 2] + [UInt8](repeating: 3, count: 16) + [9] + [UInt8](repeating: 0, count: 31)

  private func device(
    _ air: TestAir, _ joiner: any NetworkJoiner = ScriptedJoiner(), _ kinds: Set<ProvisioningProtocol> = [.secure],
    change: (inout ProvisionableDeviceOptions) -> Void = { _ in }
  ) throws -> RunningProvisionableDevice {
    var options = ProvisionableDeviceOptions(code: try ProvisioningCode("83629174"))
    options.protocols = kinds
    change(&options)
    return RunningProvisionableDevice(
      ProvisionableDevice(
        name: "PROV_Lamp", options: options, joiner: joiner, managerOptions: air.options, scheduler: SlowScheduler()))
  }

  private func session(
    _ options: [String: any Sendable], accepts: ProvisioningProtocol = .secure,
    known: any KnownDeviceStore = TransientKnownDevices()
  ) async throws -> ProvisioningSession {
    var provisioning = ProvisionerOptions()
    provisioning.accepts = [accepts]
    provisioning.knownDevices = known
    let app = Provisioner(options: provisioning, managerOptions: options, scheduler: SlowScheduler())
    return app.session(with: try await app.find { $0.name == "PROV_Lamp" }, code: try ProvisioningCode("83629174"))
  }

  private func credentials() throws -> NetworkCredentials {
    try NetworkCredentials(ssid: ScriptedJoiner.home, passphrase: ScriptedJoiner.passphrase)
  }

  private func failure(_ body: () async throws(ProvisioningFailure) -> Void) async -> ProvisioningFailure? {
    do throws(ProvisioningFailure) {
      try await body()
      return nil
    } catch {
      return error
    }
  }

  @Test("A try that cannot be stored is answered with an error, and nothing of the reply leaves the device")
  func unstoredTry() async throws {
    let air = TestAir()
    let store = MemoryDeviceStore()
    let device = try device(air) { $0.store = store }
    await device.isAdvertising()
    let central = ProbingCentral("PROV_Lamp", air.options(on: "probe"))
    #expect(await central.connect() == .done([]))
    #expect(await central.subscribe(SecureService.receive) == .done([]))
    store.setFull(true)
    #expect(await central.write(Self.hello, to: SecureService.transmit) == .refused(.unlikelyError))
    // A reply would come before the answer to the read that follows.
    #expect(await central.read(SecureService.information) == .refused(.unlikelyError))
    #expect(central.notifications == 0)
    await central.disconnect()
    await device.stop()
  }

  @Test(
    "Through the smallest buffers a session opens and a network is joined", arguments: ProvisioningProtocol.allCases)
  func smallestBuffers(_ kind: ProvisioningProtocol) async throws {
    let air = TestAir(mtu: 23, buffers: .smallest)
    let device = try device(air, ScriptedJoiner(), [kind])
    await device.isAdvertising()
    let session = try await session(air.options, accepts: kind)
    #expect(try await session.provision(try credentials()).ssid == ScriptedJoiner.home)
    await session.close()
    await device.stop()
  }

  @Test("An attempt to join is canceled when it takes too long, and when the device stops", arguments: [true, false])
  func joinsAreCanceled(_ isLate: Bool) async throws {
    let air = TestAir()
    let joiner = PatientJoiner()
    let device = try device(air, joiner) { if isLate { $0.joinLimit = .milliseconds(50) } }
    await device.isAdvertising()
    let session = try await session(air.options)
    let credentials = try credentials()
    let attempt = Task { await failure { () throws(ProvisioningFailure) in try await session.provision(credentials) } }
    await device.event { if case .joining = $0 { true } else { false } }
    if isLate {
      #expect(await attempt.value == .joinFailed(.timedOut))
    } else {
      await device.stop()
    }
    await joiner.isCanceled()
    await session.close()
    await device.stop()
  }

  @Test("After its controller was reset a device has its services again") func radioReset() async throws {
    let air = TestAir()
    let device = try device(air)
    await device.isAdvertising()
    air.radio.raiseHardwareError(on: "peripheral")
    await device.event { $0 == .radioLost }
    await device.isAdvertising()
    let session = try await session(air.options)
    try await session.provision(try credentials())
    await session.close()
    await device.stop()
  }

  @Test("Of requests before a session is open 64 wait, and more are told that it is busy") func waitingRequests()
    async throws
  {
    let air = TestAir()
    let device = try device(air)
    await device.isAdvertising()
    let session = try await session(air.options)
    await device.stop()
    let failures = await withTaskGroup(of: ProvisioningFailure?.self) { group in
      for _ in 0..<70 {
        group.addTask { await failure { () throws(ProvisioningFailure) in _ = try await session.networks() } }
      }
      var seen: [ProvisioningFailure?] = []
      for await failure in group {
        seen.append(failure)
        // All of those have come.
        if seen.count == 6 { Task { await session.close() } }
      }
      return seen
    }
    #expect(failures.prefix(6).allSatisfy { $0 == .busy })
    #expect(failures.count { $0 == .busy } == 6 && !failures.contains(nil))
  }

  private struct FullStore: KnownDeviceStore {
    func device(_ peripheral: UUID) throws -> KnownDevice? { nil }
    func store(_ device: KnownDevice?, _ peripheral: UUID) throws { throw FileDeviceStoreError.inUse }
  }

  @Test("An app that cannot remember a device says so, and provisions it all the same") func notRemembered()
    async throws
  {
    let air = TestAir()
    let device = try device(air)
    await device.isAdvertising()
    let session = try await session(air.options, known: FullStore())
    try await session.provision(try credentials())
    await session.close()
    var isTold = false
    for await step in session.progress { if case .notRemembered = step { isTold = true } }
    #expect(isTold)
    await device.stop()
  }
}

/// A joiner that waits until it is canceled, and tells of it.
private final class PatientJoiner: NetworkJoiner {
  private let canceled = Promise<Void>()

  func isCanceled() async { await canceled.value() }

  func scan() async throws(JoinFailure) -> [ScannedNetwork] { [] }
  func join(_ credentials: NetworkCredentials) async throws(JoinFailure) -> JoinedNetwork {
    let (never, continuation) = AsyncStream<Void>.makeStream()
    await withTaskCancellationHandler {
      for await _ in never {}
    } onCancel: {
      continuation.finish()
    }
    canceled.fulfill(())
    throw .other
  }
  func forget() async throws(JoinFailure) {}
}
