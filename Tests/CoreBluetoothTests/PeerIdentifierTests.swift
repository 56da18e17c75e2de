import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports
import Testing

@testable import CoreBluetooth

struct PeerIdentifierTests {
  // The paper's key and its vectors for inputs of no and of seven bytes (Aumasson and Bernstein, appendix A and the
  // reference code's table).
  private let key: (UInt64, UInt64) = (0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908)

  @Test("SipHash of no bytes has the reference value") func sipHashOfNothing() {
    #expect(SipHash.hash(0, byteCount: 0, key: key) == 0x726F_DB47_DD0E_0E31)
  }

  @Test("SipHash of seven bytes has the reference value") func sipHashOfSevenBytes() {
    #expect(SipHash.hash(0x06_0504_0302_0100, byteCount: 7, key: key) == 0xAB02_00F5_8B01_D137)
  }

  @Test("Identifiers are stable and differ by address, kind and host")
  func identifiersAreStableAndDifferByAddressKindAndHost() {
    let key = PeerIdentifierKey.random()
    let address = BluetoothAddress(0xC0FF_EE00_0001, kind: .random)
    #expect(key.identifier(of: address) == key.identifier(of: address))
    #expect(key.identifier(of: address) != key.identifier(of: BluetoothAddress(0xC0FF_EE00_0002, kind: .random)))
    #expect(key.identifier(of: address) != key.identifier(of: BluetoothAddress(0xC0FF_EE00_0001, kind: .public)))
    #expect(key.identifier(of: address) != PeerIdentifierKey.random().identifier(of: address))
  }

  @Test("Identifiers have the form of random ones") func identifiersHaveTheFormOfRandomOnes() {
    let identifier = PeerIdentifierKey.virtual.identifier(of: BluetoothAddress(0xC0FF_EE00_0001, kind: .random))
    let text = Array(identifier.uuidString)
    #expect(text[14] == "4")
    #expect("89AB".contains(text[19]))
  }

  private func temporaryDirectory() -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-\(UUID().uuidString)/state")
  }

  private func store(_ directory: URL) -> PeerStore { PeerStore(StateFolder(directory)) }

  @Test("A store retains key and peers") func storeKeepsKeyAndPeers() throws {
    let directory = temporaryDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let address = BluetoothAddress(0xC0FF_EE00_0001, kind: .random)
    let first = PeerDirectory(store: store(directory))
    let identifier = first.peer(at: address).identifier
    first.save(address)
    let second = PeerDirectory(store: store(directory))
    #expect(second.address(of: identifier) == address)
    #expect(second.peer(at: address).identifier == identifier)
    #expect(second.address(of: UUID()) == nil)
  }

  @Test("Stores of two processes are merged") func storesOfTwoProcessesAddUp() throws {
    let directory = temporaryDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let addresses = [1, 2].map { BluetoothAddress($0, kind: .public) }
    let stores = addresses.map { _ in store(directory) }
    for (store, address) in zip(stores, addresses) { store.save([address]) }
    #expect(Set(store(directory).load()) == Set(addresses))
  }

  @Test(
    "A malformed file has no peers",
    arguments: ["", "{", "[]", #"[{"address":"C0:FF","kind":1}]"#, #"[{"address":"zz:zz:zz:zz:zz:zz","kind":9}]"#])
  func damagedFilesAreNoPeers(text: String) throws {
    let directory = temporaryDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let store = store(directory)
    try Data(text.utf8).write(to: directory.appendingPathComponent("peers.json"))
    #expect(store.load().isEmpty)
    store.save([BluetoothAddress(7, kind: .public)])
    #expect(store.load() == [BluetoothAddress(7, kind: .public)])
  }

  @Test("A malformed key is replaced for all", arguments: ["", "short", "zz", String(repeating: "0", count: 31)])
  func aDamagedKeyIsMendedForAll(text: String) throws {
    let directory = temporaryDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let file = directory.appendingPathComponent("peer-identifier-key")
    try Data(text.utf8).write(to: file)
    let first = store(directory).key.halves
    #expect(store(directory).key.halves == first)
    #expect(try Data(contentsOf: file).count == 32)
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    #expect(names == ["lock", "peer-identifier-key"])
  }

  @Test("Twenty processes that find a malformed key agree on one key") func twentyThatMeetADamagedKeyAtOnceHaveOneKey()
    throws
  {
    let directory = temporaryDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try Data().write(to: directory.appendingPathComponent("peer-identifier-key"))
    let keys = Locked<Set<UInt64>>([])
    DispatchQueue.concurrentPerform(iterations: 20) { _ in
      let key = PeerStore(StateFolder(directory)).key.halves.0
      keys.withLock { _ = $0.insert(key) }
    }
    #expect(keys.withLock { $0.count } == 1)
  }

  @Test("No peer is lost when many save at the same time") func noPeerIsLostWhereManySaveAtOnce() throws {
    let directory = temporaryDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    DispatchQueue.concurrentPerform(iterations: 40) { number in
      // A store each, as processes have: what keeps them apart is a lock on a file.
      PeerStore(StateFolder(directory)).save([BluetoothAddress(UInt64(number + 1), kind: .public)])
    }
    #expect(Set(store(directory).load().map(\.value)) == Set(1...40))
  }

  @Test("Files that cannot be read are left alone") func unreadableFiles() throws {
    let directory = temporaryDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let controller = ControllerSpecification.stream(.unix(path: "/radio"))
    let names = ["peer-identifier-key", "peers.json", OwnAddressStore.fileName(controller, .peripheral, 0)]
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    // A link to itself is there, cannot be read, and would be replaced as easily as a file.
    for name in names {
      try FileManager.default.createSymbolicLink(
        atPath: directory.appendingPathComponent(name).path, withDestinationPath: name)
    }
    let store = store(directory)
    #expect(store.load().isEmpty)
    store.save([BluetoothAddress(7, kind: .public)])
    #expect(OwnAddressStore(StateFolder(directory)).address(for: controller, role: .peripheral) == nil)
    for name in names {
      let path = directory.appendingPathComponent(name).path
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == name)
    }
  }

  @Test("An unusable state folder is named with the reason") func aStateFolderThatIsNoneIsNamedWithTheReason() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data("x".utf8).write(to: file)
    let folder = StateFolder(file)
    func words(_ body: () throws -> Void) -> String {
      do { try body() } catch { return error.localizedDescription }
      return "nothing was thrown"
    }
    let reading = words { _ = try folder.read("peers.json") }
    #expect(reading == "\(file.path)/peers.json: Not a directory")
    let writing = words { try folder.replace("peers.json", with: Data()) }
    #expect(writing.hasPrefix("\(file.path): it cannot be made a folder: "))
  }

  @Test("An unwritable directory is no failure") func unwritableDirectoryIsNoFailure() {
    let store = store(URL(fileURLWithPath: "/proc/latchkey"))
    store.save([BluetoothAddress(7, kind: .public)])
    #expect(store.load().isEmpty)
  }

  @Test(
    "The directory comes from the environment",
    arguments: [
      (["LATCHKEY_STATE": "/a/b"], "/a/b"), (["XDG_STATE_HOME": "/x"], "/x/latchkey"),
      (["LATCHKEY_STATE": "", "XDG_STATE_HOME": "/x"], "/x/latchkey"),
    ])
  func directoryComesFromTheEnvironment(environment: [String: String], path: String) {
    #expect(StateFolder(environment: environment).url.path == path)
  }

  @Test("The oldest peers are removed and saved ones are not") func passersByAreForgottenAndSavedPeersAreNot() {
    let peers = PeerDirectory(store: nil)
    let saved = BluetoothAddress(1, kind: .public)
    peers.save(saved)
    let first = BluetoothAddress(2, kind: .random)
    let identifier = peers.peer(at: first).identifier
    for value in 3..<5000 { _ = peers.peer(at: BluetoothAddress(UInt64(value), kind: .random)) }
    #expect(peers.address(of: identifier) == nil)
    #expect(peers.address(of: peers.peer(at: saved).identifier) == saved)
  }
}
