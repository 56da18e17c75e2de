import Foundation
import Testing

@testable import LatchkeyProvisioning

/// The files of a device's state and of the devices that an app knows.
@Suite struct FileStoreTests {
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-store-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  private func permissions(_ url: URL) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
  }

  @Test("A device's state comes back, and only its owner may read the file") func stateComesBack() throws {
    try withFolder { folder in
      var state = ProvisionableDeviceState()
      state.failedAttempts = 7
      state.isProvisioned = true
      state.tickets = Data([1, 2, 3])
      do {
        let store = try FileDeviceStore(folder: folder, name: "Lamp/../ ä")
        #expect(try store.load() == nil)
        try store.store(state)
      }
      #expect(try FileDeviceStore(folder: folder, name: "Lamp/../ ä").load() == state)
      #expect(try FileDeviceStore(folder: folder, name: "Lamp").load() == nil)
      let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      for file in files { #expect(try permissions(file) == 0o600, "\(file)") }
      #expect(try permissions(folder) == 0o700)
    }
  }

  @Test("Two stores of one device do not count tries apart: the second is refused") func oneStoreADevice() throws {
    try withFolder { folder in
      let first = try FileDeviceStore(folder: folder, name: "Lamp")
      #expect(throws: FileDeviceStoreError.inUse) { try FileDeviceStore(folder: folder, name: "Lamp") }
      _ = try FileDeviceStore(folder: folder, name: "Lamp2")
      _ = first
    }
  }

  @Test(
    "A file that holds no state is an error, not a new device", arguments: ["", "{", "[]", #"{"failedAttempts":"x"}"#])
  func damage(_ text: String) throws {
    try withFolder { folder in
      let store = try FileDeviceStore(folder: folder, name: "A")
      try Data(text.utf8).write(to: folder.appendingPathComponent("device-41.json"))
      #expect(throws: FileDeviceStoreError.self) { try store.load() }
      let known = FileKnownDevices(folder: folder)
      try Data(text.utf8).write(to: folder.appendingPathComponent("known-devices.json"))
      if text != "[]" {
        #expect(throws: FileDeviceStoreError.self) { try known.device(UUID()) }
        #expect(throws: FileDeviceStoreError.self) {
          try known.store(KnownDevice(deviceID: Data(), resumption: nil), UUID())
        }
      }
    }
  }

  @Test("Of more devices than are remembered the one that was stored longest ago makes room")
  func knownDevicesAreBounded()
    throws
  {
    try withFolder { folder in
      let known = FileKnownDevices(folder: folder)
      let (first, second) = (UUID(), UUID())
      try known.store(KnownDevice(deviceID: Data([1]), resumption: nil), first)
      try known.store(KnownDevice(deviceID: Data([2]), resumption: nil), second)
      // As many as fit, written at once: a thousand writes would sync the disk a thousand times.
      let url = folder.appendingPathComponent("known-devices.json")
      var entries = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [[String: Any]])
      let last = try #require(entries.last)
      while entries.count < FileKnownDevices.maximumDevices {
        entries.append(last.merging(["peripheral": UUID().uuidString]) { $1 })
      }
      try JSONSerialization.data(withJSONObject: entries).write(to: url)
      try known.store(KnownDevice(deviceID: Data([3]), resumption: nil), UUID())
      #expect(try known.device(first) == nil)
      #expect(try known.device(second) != nil)
    }
  }

  @Test("Known devices come back, are replaced and removed") func knownDevices() throws {
    try withFolder { folder in
      let known = FileKnownDevices(folder: folder)
      let (lamp, lock) = (UUID(), UUID())
      #expect(try known.device(lamp) == nil)
      try known.store(KnownDevice(deviceID: Data([1]), resumption: Data([9])), lamp)
      try known.store(KnownDevice(deviceID: Data([2]), resumption: nil), lock)
      try known.store(KnownDevice(deviceID: Data([3]), resumption: nil), lamp)
      let other = FileKnownDevices(folder: folder)
      #expect(try other.device(lamp)?.deviceID == Data([3]) && other.device(lock)?.deviceID == Data([2]))
      try other.store(nil, lamp)
      #expect(try known.device(lamp) == nil)
      #expect(try permissions(folder.appendingPathComponent("known-devices.json")) == 0o600)
      #expect("\(KnownDevice(deviceID: Data([1]), resumption: Data([9])))" == "a known device")
    }
  }

  @Test("Two writers at the same time lose nothing") func twoWriters() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-store-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let peripherals = (0..<40).map { _ in UUID() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for peripheral in peripherals {
        group.addTask {
          try FileKnownDevices(folder: folder).store(KnownDevice(deviceID: Data([1]), resumption: nil), peripheral)
        }
      }
      try await group.waitForAll()
    }
    let known = FileKnownDevices(folder: folder)
    for peripheral in peripherals { #expect(try known.device(peripheral) != nil) }
  }
}
