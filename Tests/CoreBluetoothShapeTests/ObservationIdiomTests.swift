import CoreBluetooth
import Testing

/// The ways in which code in the field observes managers and peripherals.
final class StateWatcher: NSObject, CBPeripheralDelegate {
  private var observation: NSKeyValueObservation?
  private var observations = Set<NSKeyValueObservation>()
  private(set) var names: [String] = []

  func watch(_ manager: CBCentralManager) {
    observation = manager.observe(\.state, options: [.initial, .new]) { [weak self] central, change in
      guard let self, change.newValue == .poweredOn else { return }
      self.names.append("\(central.isScanning)")
    }
    observations.insert(manager.observe(\.isScanning) { _, _ in })
  }

  func watch(_ peripheral: CBPeripheral) {
    observations.insert(
      peripheral.observe(\CBPeripheral.name, options: [.old, .new, .prior]) { [weak self] _, change in
        if !change.isPrior, case .setting = change.kind, let name = change.newValue ?? nil { self?.names.append(name) }
      })
    observations.insert(peripheral.observe(\.services) { _, _ in })
    observations.insert(peripheral.observe(\.canSendWriteWithoutResponse) { _, _ in })
  }

  func range(_ peripheral: CBPeripheral) {
    guard CBCentralManager.supports(.channelSounding) else { return }
    peripheral.startChannelSoundingSession(CBChannelSoundingSessionConfiguration(role: .initiator))
  }

  func peripheral(
    _ peripheral: CBPeripheral, didReceive results: CBChannelSoundingProcedureResults?, error: Error?
  ) {
    if let error = error as? CBError, error.code == .channelSoundingProcedureFailed { return }
    if let results, results.distance < 0.5 { peripheral.cancelChannelSoundingSession() }
  }

  func peripheral(_ peripheral: CBPeripheral, didCompleteChannelSoundingSession error: Error?) {
    if case CBError.channelSoundingConfigurationFailed? = error { names.append("not configured") }
  }

  func stop() {
    observation?.invalidate()
    observation = nil
    observations.removeAll()
  }
}

struct ObservationIdiomTests {
  @Test("Options of observations have Foundation's raw values") func rawValues() {
    let all: NSKeyValueObservingOptions = [.new, .old, .initial, .prior]
    #expect(all.rawValue == 15)
    #expect(NSKeyValueChange.setting.rawValue == 1)
    #expect(CBPeripheralManagerConnectionLatency.low.rawValue == 0)
    #expect(CBPeripheralManagerConnectionLatency.high.rawValue == 2)
  }

  @Test("An initial value is reported before the observation is returned") func initialValue() {
    // Suspended, so that the state does not change meanwhile.
    let queue = DispatchQueue(label: "observation")
    queue.suspend()
    defer { queue.resume() }
    let manager = CBCentralManager(
      delegate: nil, queue: queue, options: [CBManagerOptionControllerKey: "virtual:\(UUID().uuidString)"])
    let watcher = StateWatcher()
    var seen: [CBManagerState?] = []
    let observation = manager.observe(\.state, options: [.initial, .new]) { seen.append($1.newValue) }
    #expect(seen == [.unknown])
    observation.invalidate()
    watcher.watch(manager)
    watcher.stop()
    #expect(watcher.names.isEmpty)
  }
}
