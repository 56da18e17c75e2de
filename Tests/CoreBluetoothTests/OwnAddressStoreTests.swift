import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports
import Testing

@testable import CoreBluetooth

/// A host keeps its address over restarts, and no two programs have one.
struct OwnAddressStoreTests {
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-\(UUID().uuidString)")
  private let controller = ControllerSpecification.stream(.unix(path: "/tmp/a radio/with:signs/é"))

  private var store: OwnAddressStore { OwnAddressStore(StateFolder(directory)) }

  @Test("The address is the same in the next run") func theAddressIsTheSameInTheNextRun() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    var first = try #require(store.address(for: controller, role: .peripheral)).address
    for _ in 0..<3 {
      // The lock of the run before is gone with it.
      let next = try #require(store.address(for: controller, role: .peripheral)).address
      #expect(next == first)
      first = next
    }
    #expect(first.value >> 46 == 0b11)
    #expect(first.kind == .random)
  }

  @Test("Programs at the same time have addresses of their own and retain them")
  func programsAtTheSameTimeHaveAddressesOfTheirOwnAndKeepThem() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    func run() throws -> [BluetoothAddress] {
      let held = try (0..<3).map { _ in try #require(store.address(for: controller, role: .peripheral)) }
      return withExtendedLifetime(held) { held.map(\.address) }
    }
    let addresses = try run()
    #expect(Set(addresses).count == 3)
    #expect(try run() == addresses)
  }

  @Test("Roles and controllers are numbered separately") func rolesAndControllersAreCountedApart() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let other = ControllerSpecification.stream(.tcp(host: "::1", port: 6402))
    let addresses = [
      store.address(for: controller, role: .peripheral)?.address,
      store.address(for: controller, role: .central)?.address,
      store.address(for: other, role: .peripheral)?.address,
    ]
    #expect(Set(addresses.compactMap(\.self)).count == 3)
    let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    #expect(files.count == 6)
  }

  @Test(
    "A malformed address is replaced",
    arguments: [
      "", "C0:", "zz:zz:zz:zz:zz:zz", "00:00:00:00:00:01", "FF:FF:FF:FF:FF:FF", "C0:00:00:00:00:00",
      "C0:00:00:00:00:00:01",
    ])
  func whatIsNoAddressIsReplaced(text: String) throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let file = directory.appendingPathComponent(OwnAddressStore.fileName(controller, .central, 0))
    try Data(text.utf8).write(to: file)
    let address = try #require(store.address(for: controller, role: .central)).address
    #expect(store.address(for: controller, role: .central)?.address == address)
    #expect(try String(contentsOf: file, encoding: .utf8) == "\(address)\n")
  }

  @Test("A folder that cannot be written is no failure") func aFolderThatCannotBeWrittenIsNoFailure() {
    let store = OwnAddressStore(StateFolder(URL(fileURLWithPath: "/proc/latchkey")))
    let address = store.address(for: controller, role: .central)?.address
    #expect(address == nil)
  }
}
