import Testing

@testable import LatchkeyBluetoothHost

@Suite struct LinkTableTests {
  private func link(_ id: UInt32, handle: UInt16) -> Link {
    Link(
      id: LinkID(id),
      LEConnectionComplete(
        connectionHandle: ConnectionHandle(rawValue: handle), role: .peripheral, peer: .staticRandom(UInt64(id))),
      local: .staticRandom(0), peer: .staticRandom(UInt64(id)), preferredMTU: 23, failures: 0, now: .zero)
  }

  @Test("Links are found by number and by handle") func findsByNumberAndByHandle() {
    var table = LinkTable()
    let links = (1...100).map { link(UInt32($0) * 3, handle: UInt16($0 * 37 % 0xEFF)) }
    for link in links { table.append(link) }
    for link in links {
      #expect(table[link.id] === link)
      #expect(table[link.handle] === link)
    }
    #expect(table[LinkID(4)] == nil)
    #expect(table[ConnectionHandle(rawValue: 0xFFF)] == nil)
    for link in links where link.id.value % 2 == 0 { table.remove(link) }
    table.remove(links[1])
    for link in links { #expect((table[link.id] === link) == (link.id.value % 2 != 0)) }
    #expect(table.map(\.id.value) == links.map(\.id.value).filter { $0 % 2 != 0 })
  }

  @Test("The earliest deadline is served first") func servesTheEarliestFirst() {
    var deadlines = LinkDeadlines()
    #expect(deadlines.first == nil)
    for number in 0..<200 { deadlines.insert(.seconds((number * 73) % 200), LinkID(UInt32(number))) }
    var times: [Duration] = []
    while let first = deadlines.first {
      times.append(first.at)
      deadlines.removeFirst()
    }
    #expect(times == (0..<200).map { .seconds($0) })
    deadlines.removeFirst()
  }

  @Test("A queue's limit follows its link's throughput") func aQueueIsAsLongAsItsLinkIsFast() {
    var pace = LinkPace()
    #expect(pace.capacity == LinkPace.initial)
    // As much as may wait goes at once: there may be more.
    pace.begin(sent: 0, now: .zero)
    pace.update(sent: 16, queued: 0, now: .milliseconds(10))
    #expect(pace.capacity == LinkPace.most)
    // One in a second, then none.
    pace.begin(sent: 16, now: .seconds(1))
    pace.update(sent: 16, queued: 30, now: .milliseconds(1500))
    #expect(pace.capacity == LinkPace.most)
    pace.update(sent: 17, queued: 30, now: .seconds(2))
    #expect(pace.capacity == LinkPace.least)
    // Ten in a second.
    pace.update(sent: 27, queued: 20, now: .seconds(3))
    #expect(pace.capacity == 20)
    pace.update(sent: 27, queued: 20, now: .seconds(30))
    #expect(pace.capacity == LinkPace.least)
    // It grows as it shrank.
    for round in UInt64(1)...3 { pace.update(sent: 27 + 32 * round, queued: 1, now: .seconds(30)) }
    #expect(pace.capacity == LinkPace.most)
  }
}
