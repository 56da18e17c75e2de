import LatchkeyTestSupport
import Testing

/// The model of a disk without power, by hand-made events.
@Suite("A disk that loses power") struct TortureDiskTests {
  private func disk(_ events: [DiskEvent], on contents: [String: [UInt8]] = [:]) -> TortureDisk {
    var disk = TortureDisk(contents)
    for event in events { disk.happened(event) }
    return disk
  }

  @Test("keeps what was synced, and of the rest what its fates say") func fates() {
    let disk = disk(
      [
        .written("a", at: 0, [1, 2]), .synced("a", folder: false), .written("a", at: 1, [3]), .written("a", at: 4, [4]),
      ], on: ["a": []])
    #expect(disk.pending.count == 2)
    #expect(disk.contents(fates: [.dropped, .dropped], keepsNames: true) == ["a": [1, 2]])
    #expect(disk.contents(fates: [.kept, .dropped], keepsNames: true) == ["a": [1, 3]])
    #expect(disk.contents(fates: [.dropped, .kept], keepsNames: true) == ["a": [1, 2, 0, 0, 4]])
    #expect(disk.contents(fates: [.kept, .kept], keepsNames: true) == ["a": [1, 3, 0, 0, 4]])
  }

  @Test("syncs one file and no other") func syncIsPerFile() {
    let disk = disk(
      [
        .written("a", at: 0, [1]), .written("b", at: 0, [2]), .synced("b", folder: false),
      ], on: ["a": [], "b": []])
    #expect(disk.contents(fates: [.dropped], keepsNames: true) == ["a": [], "b": [2]])
  }

  @Test("tears a write at its sectors, which are the disk's and not the write's") func tears() {
    let disk = disk([.written("a", at: 510, [UInt8](repeating: 7, count: 516))], on: ["a": []])
    #expect(disk.pending[0].sectors == 3)
    let zeros = [UInt8](repeating: 0, count: 510)
    #expect(disk.contents(fates: [.sectors(0b001)], keepsNames: true)["a"] == zeros + [7, 7])
    #expect(disk.contents(fates: [.sectors(0b010)], keepsNames: true)["a"]?.prefix(513).suffix(3) == [0, 0, 7])
    #expect(disk.contents(fates: [.sectors(0b010)], keepsNames: true)["a"]?.count == 1024)
    #expect(disk.contents(fates: [.firstHalf], keepsNames: true)["a"]?.count == 1024)
    #expect(disk.contents(fates: [.secondHalf], keepsNames: true)["a"]?.prefix(1024).allSatisfy { $0 == 0 } == true)
    #expect(disk.contents(fates: [.secondHalf], keepsNames: true)["a"]?.suffix(2) == [7, 7])
  }

  @Test("truncates or does not") func truncates() {
    let disk = disk([.truncated("a", to: 1), .written("a", at: 3, [9])], on: ["a": [1, 2]])
    #expect(disk.contents(fates: [.kept, .dropped], keepsNames: true) == ["a": [1]])
    #expect(disk.contents(fates: [.dropped, .kept], keepsNames: true) == ["a": [1, 2, 0, 9]])
  }

  @Test("loses the name of a file whose folder was not synced, and finds a deleted one again") func names() {
    let created = disk([.created("a"), .written("a", at: 0, [1]), .synced("a", folder: false)])
    #expect(created.hasPendingNames)
    #expect(created.contents(fates: [], keepsNames: false) == [:])
    #expect(created.contents(fates: [], keepsNames: true) == ["a": [1]])
    let deleted = disk([.deleted("a", folder: false)], on: ["a": [1], "b": []])
    #expect(deleted.contents(fates: [], keepsNames: false) == ["a": [1], "b": []])
    #expect(deleted.contents(fates: [], keepsNames: true) == ["b": []])
    #expect(disk([.deleted("a", folder: true)], on: ["a": [1]]).contents(fates: [], keepsNames: false) == [:])
  }

  @Test("has no shared memory") func sharedMemory() {
    #expect(disk([], on: ["a": [1], "a-shm": [2]]).contents(fates: [], keepsNames: true) == ["a": [1]])
  }

  @Test("is looked at after every event, with the marks that stand before the next one") func prefixes() {
    let loss = PowerLoss(
      before: ["a": []],
      events: [.mark(0), .written("a", at: 0, [1]), .mark(1), .mark(2), .synced("a", folder: false), .mark(3)])
    var seen: [String] = []
    loss.forEachRemains(.all(randomSubsets: 0), seed: 1) { seen.append("\($0.contents["a"] ?? []) \(Array($0.marks))") }
    #expect(seen == ["[] [0]", "[] [0, 1, 2]", "[1] [0, 1, 2]", "[1] [0, 1, 2, 3]"])
  }

  @Test("that is sampled shows the worst of every mark") func sample() {
    let loss = PowerLoss(before: ["a": []], events: [.written("a", at: 0, [1]), .mark(1), .written("a", at: 0, [2])])
    var seen: [[UInt8]] = []
    loss.forEachRemains(.sample(0), seed: 1) { seen.append($0.contents["a"] ?? []) }
    #expect(seen == [[]])
  }
}

/// What a store may hold, by hand-made marks.
@Suite("A ledger of operations") struct TortureLedgerTests {
  @Test("asks for what was acknowledged, and leaves open what was under way") func marks() {
    let ledger = TortureLedger()
    let add = ledger.begin([1: 1, 2: 1])
    let delete = ledger.begin([1: nil])
    let (addBegun, addDone) = (TortureLedger.begun(add), TortureLedger.acknowledged(add))
    #expect(ledger.complaint(about: [:], after: [addBegun]) == nil)
    #expect(ledger.complaint(about: [1: 1, 2: 1], after: [addBegun]) == nil)
    #expect(ledger.complaint(about: [1: 1], after: [addBegun]) != nil, "half an operation")
    #expect(ledger.complaint(about: [1: 1, 2: 1], after: []) != nil, "nothing was begun")
    #expect(ledger.complaint(about: [:], after: [addBegun, addDone]) != nil, "lost")
    #expect(ledger.complaint(about: [1: 1, 2: 2], after: [addBegun, addDone]) != nil, "another version")
    let deleteBegun = TortureLedger.begun(delete)
    #expect(ledger.complaint(about: [1: 1, 2: 1], after: [addBegun, addDone, deleteBegun]) == nil)
    #expect(ledger.complaint(about: [2: 1], after: [addBegun, addDone, deleteBegun]) == nil)
    let all = [addBegun, addDone, deleteBegun, TortureLedger.acknowledged(delete)]
    #expect(ledger.complaint(about: [1: 1, 2: 1], after: all) != nil, "back again")
    #expect(ledger.complaint(about: [2: 1], after: all) == nil)
    #expect(ledger.complaint(about: [2: 1, 3: 1], after: all) != nil, "nobody's")
  }
}
