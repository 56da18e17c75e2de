import Dispatch
import Foundation
import LatchkeyBluetoothHost
import Testing

@testable import CoreBluetooth

@Suite("Bonds in the state folder") struct BondFileStoreTests {
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
    "latchkey-\(UUID().uuidString)/state")

  private func store(_ local: UInt64 = 1) -> BondFileStore {
    BondFileStore(StateFolder(directory), local: .staticRandom(local))
  }

  private func bond(_ number: UInt64, key: UInt8 = 1) throws -> Bond {
    var bond = Bond(identity: .staticRandom(number), isPersistent: true)
    bond.keyAsCentral = LongTermKey(
      key: try #require(SecurityKey(Array(repeating: key, count: 16))), size: 16, isAuthenticated: false,
      isSecureConnections: true)
    return bond
  }

  private var file: URL { directory.appendingPathComponent("bonds") }

  private func clean() { try? FileManager.default.removeItem(at: directory.deletingLastPathComponent()) }

  @Test("are there for the next process, one for each peer, until they are removed") func keeps() throws {
    defer { clean() }
    #expect(try store().load() == [])
    try store().save(try bond(2))
    try store().save(try bond(3))
    try store().save(try bond(2, key: 9))
    #expect(try store().load() == [try bond(3), try bond(2, key: 9)])
    try store().remove(.staticRandom(3))
    try store().remove(.staticRandom(99))
    #expect(try store().load() == [try bond(2, key: 9)])
  }

  @Test("are not read from what is no file, which is named in plain words", arguments: [true, false])
  func noFile(_ isFolder: Bool) throws {
    defer { clean() }
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let made = isFolder ? mkdir(file.path, 0o700) : mkfifo(file.path, 0o600)
    try #require(made == 0)
    for attempt in [{ _ = try store().load() }, { try store().save(try bond(2)) }] {
      let error = #expect(throws: StateFolderError.self) { try attempt() }
      #expect(error?.path == file.path)
      #expect(error?.localizedDescription == error?.description)
      #expect(error?.reason == (isFolder ? "Is a directory" : "it is not a regular file"))
    }
  }

  @Test("get what is kept of a peer only while they are stored with the same keys") func updates() throws {
    defer { clean() }
    var known = try bond(2)
    known.client = BondedClient()
    // There is none: it was removed.
    try store().update(known)
    #expect(try store().load() == [])
    try store().save(try bond(2))
    try store().save(try bond(3))
    try store().update(known)
    #expect(try store().load() == [known, try bond(3)])
    try store().save(try bond(2, key: 9))
    try store().update(known)
    try store(2).update(try bond(3))
    #expect(try store().load() == [try bond(3), try bond(2, key: 9)])
    // A damaged file stays as it is.
    try Data([1, 2, 3]).write(to: file)
    #expect(throws: (any Error).self) { try store().update(known) }
    #expect(try Data(contentsOf: file) == Data([1, 2, 3]))
  }

  @Test("are for their owner's eyes alone") func mode() throws {
    defer { clean() }
    try store().save(try bond(2))
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
  }

  @Test("belong to one own address") func addresses() throws {
    defer { clean() }
    try store(1).save(try bond(5))
    try store(2).save(try bond(5, key: 2))
    try store(2).remove(.staticRandom(5))
    #expect(try store(1).load() == [try bond(5)])
    #expect(try store(2).load() == [])
  }

  @Test("are not lost when many save at the same time") func processes() throws {
    defer { clean() }
    let bonds = try (1...30).map { try bond($0) }
    // A store each, as processes have: what keeps them apart is a lock on a file.
    DispatchQueue.concurrentPerform(iterations: bonds.count) { index in try? store().save(bonds[index]) }
    #expect(Set(try store().load().map(\.identity)) == Set(bonds.map(\.identity)))
  }

  @Test("of a damaged file are none, with an error that names it, and it is replaced", arguments: [0, 3, 40, -1])
  func damaged(_ length: Int) throws {
    defer { clean() }
    try store().save(try bond(2))
    var data = try Data(contentsOf: file)
    if length < 0 { data[20] ^= 1 } else { data = data.prefix(length) }
    try data.write(to: file)
    let error = #expect(throws: BondFileError.self) { try store().load() }
    #expect("\(error.map { "\($0)" } ?? "")".hasPrefix("\(file.path) is damaged ("))
    try store().save(try bond(3))
    #expect(try store().load() == [try bond(3)])
  }

  /// A file of that version, whole, of whose content this code knows nothing.
  private func newer(_ file: String, _ signature: String) throws -> Data {
    let content = Array(signature.utf8) + [2, 0xAA, 0xBB]
    let data = Data(content + StoredFrame.digest(of: content))
    try StateFolder(directory).replace(file, with: data)
    return data
  }

  @Test("of a newer version stay as they are, with an error that names the file") func newerVersion() throws {
    defer { clean() }
    let data = try newer("bonds", "LKBD")
    func expectError(_ body: () throws -> Void) {
      let error = #expect(throws: BondFileError.self) { try body() }
      #expect(
        error.map { "\($0)" }
          == "\(file.path) has version 2, this program knows versions up to 1: use a newer program")
    }
    let known = try bond(2)
    expectError { _ = try store().load() }
    expectError { try store().save(known) }
    expectError { try store().update(known) }
    expectError { try store().remove(.staticRandom(2)) }
    #expect(try Data(contentsOf: file) == data)
  }

  @Test("do not depend on a file of keys of a newer version, nor those on one of bonds") func newerKeys() throws {
    defer { clean() }
    let data = try newer("resolving-keys", "LKRK")
    let keys = directory.appendingPathComponent("resolving-keys")
    let error = #expect(throws: BondFileError.self) { try resolvingKey(drawn: 1) }
    #expect("\(error.map { "\($0)" } ?? "")".hasPrefix("\(keys.path) has version 2"))
    #expect(try Data(contentsOf: keys) == data)
    try store().save(try bond(2))
    #expect(try store().load() == [try bond(2)])
    try FileManager.default.removeItem(at: keys)
    _ = try newer("bonds", "LKBD")
    #expect(try resolvingKey(drawn: 1) == SecurityKey(Array(repeating: 1, count: 16)))
  }

  @Test("of a file that cannot be read are left alone: saving fails") func unreadable() throws {
    defer { clean() }
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
    #expect(throws: (any Error).self) { try store().load() }
    #expect(throws: (any Error).self) { try store().save(try bond(2)) }
  }

  private func resolvingKey(_ local: UInt64 = 1, drawn: UInt8) throws -> SecurityKey? {
    try store(local).resolvingKey { SecurityKey(Array(repeating: drawn, count: 16)) }
  }

  @Test("stand beside the key of private addresses: one for each own address, also for the next process")
  func identity()
    throws
  {
    defer { clean() }
    let (one, two) = (SecurityKey(Array(repeating: 1, count: 16)), SecurityKey(Array(repeating: 2, count: 16)))
    #expect(try resolvingKey(drawn: 1) == one)
    #expect(try resolvingKey(7, drawn: 2) == two)
    #expect(try resolvingKey(drawn: 3) == one)
    #expect(try resolvingKey(7, drawn: 3) == two)
    #expect(try store().resolvingKey { nil } == one)
    #expect(try store(8).resolvingKey { nil } == nil)
    try store().save(try bond(2))
    #expect(try store().load() == [try bond(2)])
    #expect(try resolvingKey(drawn: 3) == one)
    let path = directory.appendingPathComponent("resolving-keys").path
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
    #expect(mode?.intValue == 0o600)
  }

  @Test("do not depend on a damaged file of such keys, which is replaced") func damagedIdentity() throws {
    defer { clean() }
    try store().save(try bond(2))
    _ = try resolvingKey(drawn: 1)
    try Data([1, 2, 3]).write(to: directory.appendingPathComponent("resolving-keys"))
    #expect(try resolvingKey(drawn: 5) == SecurityKey(Array(repeating: 5, count: 16)))
    #expect(try resolvingKey(drawn: 6) == SecurityKey(Array(repeating: 5, count: 16)))
    #expect(try store().load() == [try bond(2)])
  }

  @Test("have 1024 such keys beside them at most: the oldest goes") func manyIdentities() throws {
    defer { clean() }
    let key = try #require(SecurityKey(Array(repeating: 9, count: 16)))
    let entries = (0..<UInt64(StoredResolvingKeys.capacity)).map {
      StoredResolvingKeys.Entry(address: .staticRandom(100 + $0), resolvingKey: key)
    }
    try StateFolder(directory).replace("resolving-keys", with: Data(StoredResolvingKeys.encode(entries)))
    #expect(try resolvingKey(drawn: 1) == SecurityKey(Array(repeating: 1, count: 16)))
    #expect(try resolvingKey(101, drawn: 2) == key)
    #expect(try resolvingKey(100, drawn: 3) == SecurityKey(Array(repeating: 3, count: 16)))
  }

  @Test("are 1024 at most") func full() throws {
    defer { clean() }
    let entries = try (0..<UInt64(StoredBonds.capacity)).map {
      StoredBonds.Entry(local: .staticRandom(1), bond: try bond($0 + 10))
    }
    try StateFolder(directory).replace("bonds", with: Data(StoredBonds.encode(entries)))
    #expect(throws: BondFileError.self) { try store().save(try bond(2)) }
    // In place of an older one there is room.
    try store().save(try bond(10, key: 3))
    #expect(try store().load().count == StoredBonds.capacity)
  }

  @Test("A paired device is named by its address or its identifier, and by nothing else")
  func namesPairedDevices() throws {
    #expect(PairedDevice("c0:ff:ee:00:00:01") == .address("C0:FF:EE:00:00:01"))
    let identifier = UUID()
    #expect(PairedDevice(identifier.uuidString.lowercased()) == .identifier(identifier))
    for text in [
      "", ":::::", "C0:FF:EE:00:00", "C0:FF:EE:00:00:01:02", "C0FFEE000001", "C0-FF-EE-00-00-01", "C0:FF:EE:00:00:1",
      "C0:FF:EE:00:00:0G", "C0:FF:EE:00:00:01 ", "Ｃ0:FF:EE:00:00:01", "lamp",
    ] {
      #expect(PairedDevice(text) == nil, "\(text)")
    }
  }
}
