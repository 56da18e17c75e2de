import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

@Suite("The list of peers that a controller resolves") struct ControllerResolvingListTests {
  private typealias Peer = (identity: BluetoothAddress, key: SecurityKey)

  private static func peer(_ number: UInt64) throws -> Peer {
    (.staticRandom(number), try #require(SecurityKey(Array(repeating: UInt8(number), count: 16))))
  }

  /// A list whose calls may stand in expectations.
  private final class List {
    var state = ControllerResolvingList()

    init(_ capacity: Int) { state.configure(capacity: capacity) }

    var isStale: Bool { state.isStale }
    func contains(_ peer: Peer) -> Bool { state.contains(peer.identity) }
    func update(_ peers: [Peer]) -> [ControllerResolvingList.Change] { state.update(for: peers) }
    func updateAnew(_ peers: [Peer]) -> [ControllerResolvingList.Change] {
      state.bondsChanged()
      return state.update(for: peers)
    }
    func overflow(_ peer: Peer) -> Bool { state.overflowed(by: peer.identity) }
  }

  @Test("has all peers while there is room, and resolution goes on once") func room() throws {
    let list = List(2)
    let peers = try [Self.peer(1), Self.peer(2)]
    #expect(list.isStale && list.update([]) == [] && !list.isStale)
    #expect(list.updateAnew([peers[0]]) == [.add(peers[0].identity, peers[0].key), .enable(true)])
    #expect(list.updateAnew(peers) == [.add(peers[1].identity, peers[1].key)])
    #expect(list.updateAnew([peers[1]]) == [.remove(peers[0].identity)])
    #expect(list.update([peers[1]]) == [])
    #expect(!list.contains(peers[0]) && list.contains(peers[1]))
  }

  @Test("has those that were used last where there is none") func full() throws {
    let list = List(2)
    let peers = try (1...4).map { try Self.peer($0) }
    _ = list.update(peers)
    #expect(list.contains(peers[0]) && list.contains(peers[1]))
    // What is there stays until others are used.
    #expect(list.updateAnew(peers) == [])
    list.state.use(peers[1].identity)
    #expect(!list.isStale)
    list.state.use(peers[3].identity)
    #expect(list.isStale)
    #expect(list.update(peers) == [.remove(peers[0].identity), .add(peers[3].identity, peers[3].key)])
    list.state.use(peers[2].identity)
    #expect(list.update(peers) == [.remove(peers[1].identity), .add(peers[2].identity, peers[2].key)])
  }

  @Test("has a new key in place of an old one") func newKey() throws {
    let list = List(2)
    let old = try Self.peer(1)
    _ = list.update([old])
    let new = (identity: old.identity, key: try Self.peer(9).key)
    #expect(list.updateAnew([new]) == [.remove(old.identity), .add(old.identity, new.key)])
  }

  @Test("has no peer without an identity address or a key, and no key twice") func unfit() throws {
    let list = List(8)
    let good = try Self.peer(1)
    let unfit: [Peer] = [
      (BluetoothAddress(0x4000_0000_0001, kind: .random), try Self.peer(2).key),
      (BluetoothAddress(0x0000_0000_0001, kind: .random), try Self.peer(3).key),
      (.staticRandom(5), .zero), (.staticRandom(6), good.key),
    ]
    #expect(list.update(unfit + [good]) == [.add(good.identity, good.key), .enable(true)])
    let fixed = BluetoothAddress(0x0000_0000_0001, kind: .public)
    #expect(list.updateAnew([good, (fixed, try Self.peer(7).key)]).count == 1)
    #expect(list.state.contains(fixed))
  }

  @Test("shrinks to what the controller holds") func overflow() throws {
    let list = List(4)
    let peers = try (1...4).map { try Self.peer($0) }
    _ = list.update(peers)
    #expect(list.overflow(peers[2]))
    #expect(list.overflow(peers[3]))
    #expect(list.state.capacity == 2 && list.isStale && list.update(peers) == [])
    #expect(list.overflow(peers[0]))
    #expect(!list.overflow(peers[1]))
  }

  @Test("is off for good where it is given up, until the next controller") func givenUp() throws {
    let list = List(4)
    let peers = try [Self.peer(1)]
    _ = list.update(peers)
    list.state.giveUp()
    list.state.bondsChanged()
    #expect(!list.contains(peers[0]) && list.isStale && list.state.isInUse)
    #expect(list.update(peers) == [.enable(false)])
    list.state.bondsChanged()
    list.state.use(peers[0].identity)
    #expect(!list.isStale && list.update(peers) == [])
    list.state.configure(capacity: 4)
    #expect(list.update(peers).count == 2)
    // Where nothing was on, nothing is to be turned off.
    list.state.configure(capacity: 4)
    list.state.giveUp()
    #expect(!list.isStale && list.update(peers) == [])
  }

  @Test("keeps nothing of peers whose bonds are gone, with a list or without") func bounds() throws {
    let list = List(2)
    for number in 1...50 as ClosedRange<UInt64> {
      let peer = try Self.peer(number)
      list.state.use(peer.identity)
      _ = list.updateAnew([peer])
      #expect(list.state.useCount == 1)
    }
    list.state.giveUp()
    for number in 1...50 as ClosedRange<UInt64> { list.state.use(.staticRandom(number)) }
    #expect(list.state.useCount == 1)
  }

  @Test("is not trusted at once") func trust() throws {
    let list = List(4)
    let peers = try [Self.peer(1)]
    _ = list.update(peers)
    #expect(!list.state.shouldHaveResolved(peers[0].identity, now: .seconds(9)))
    list.state.performed(now: .seconds(9))
    #expect(!list.state.shouldHaveResolved(peers[0].identity, now: .seconds(9)))
    #expect(list.state.shouldHaveResolved(peers[0].identity, now: .seconds(10)))
    #expect(!list.state.shouldHaveResolved(.staticRandom(2), now: .seconds(10)))
  }
}
