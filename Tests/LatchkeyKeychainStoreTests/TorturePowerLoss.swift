import keychain_worker

/// Takes the power away at every point of a recording, in every way that the model of ``TortureDisk`` allows, and lets
/// the test look at what remains.
struct PowerLoss {
  /// One disk that could remain.
  struct Remains {
    /// How many events had happened.
    let prefix: Int
    let fates: [TortureDisk.Fate]
    let keepsNames: Bool
    let contents: [String: [UInt8]]
    /// The marks up to the cut: those that stand before the next event, for nothing was written between.
    let marks: ArraySlice<Int>

    var description: String {
      "after event \(prefix), pending changes \(fates), names \(keepsNames ? "kept" : "lost")"
    }
  }

  /// Which of all remains are looked at.
  enum Extent {
    /// All, with so many random subsets for each prefix.
    case all(randomSubsets: Int)
    /// So many, drawn at random from all, and besides them, for every mark, the disk on which nothing pending survived.
    case sample(Int)
  }

  let before: [String: [UInt8]]
  let events: [DiskEvent]

  /// Calls `look` with the remains.
  func forEachRemains(_ extent: Extent, seed: UInt64, _ look: (Remains) throws -> Void) rethrows {
    var chance = Chance(seed: seed)
    let (subsets, wanted): (Int, Int?) =
      switch extent {
      case .all(let randomSubsets): (randomSubsets, nil)
      case .sample(let wanted): (2, wanted)
      }
    var total = 0
    if wanted != nil { forEachPoint { total += TortureFates(of: $0.disk, randomSubsets: subsets, seed: 0).count } }
    try forEachPoint { point in
      let fates = TortureFates(of: point.disk, randomSubsets: subsets, seed: seed &+ UInt64(point.prefix))
      var seen: Set<[TortureDisk.Fate]> = []
      for index in 0..<fates.count {
        // The first is the worst: nothing pending survived, and neither did names.
        if let wanted, !(point.isAtMark && index == 0), Int.random(in: 0..<total, using: &chance) >= wanted { continue }
        guard seen.insert(fates[index]).inserted else { continue }
        // Where no name is in doubt, both answers are the same disk.
        for keepsNames in point.disk.hasPendingNames ? [false, true] : [false] {
          try look(
            Remains(
              prefix: point.prefix, fates: fates[index], keepsNames: keepsNames,
              contents: point.disk.contents(fates: fates[index], keepsNames: keepsNames), marks: point.marks))
        }
      }
    }
  }

  private struct Point {
    let prefix: Int
    let disk: TortureDisk
    let marks: ArraySlice<Int>
    let isAtMark: Bool
  }

  private func forEachPoint(_ visit: (Point) throws -> Void) rethrows {
    var disk = TortureDisk(before)
    let words = events.compactMap { if case .mark(let word) = $0 { word } else { nil } }
    var marks = 0
    for (index, event) in events.enumerated() {
      disk.happened(event)
      var isAtMark = false
      if case .mark = event {
        marks += 1
        isAtMark = true
      }
      // The same disk with one mark more asks for more: only the last of a row of marks is looked at.
      if index + 1 < events.count, case .mark = events[index + 1] { continue }
      try visit(Point(prefix: index + 1, disk: disk, marks: words[..<marks], isAtMark: isAtMark))
    }
  }
}

/// The fates that are tried for a disk's pending changes: all lost, all kept, each one lost alone, each one kept alone,
/// each one torn in two while the others are kept, and random subsets with random tears.
struct TortureFates {
  private let sectors: [Int]
  private let randomSubsets: Int
  private let seed: UInt64

  init(of disk: TortureDisk, randomSubsets: Int, seed: UInt64) {
    sectors = disk.pending.map(\.sectors)
    self.randomSubsets = randomSubsets
    self.seed = seed
  }

  var count: Int { sectors.isEmpty ? 1 : 2 + 4 * sectors.count + randomSubsets }

  subscript(index: Int) -> [TortureDisk.Fate] {
    let (alone, kind) = (index - 2).quotientAndRemainder(dividingBy: 4)
    return switch index {
    case 0: sectors.map { _ in .dropped }
    case 1: sectors.map { _ in .kept }
    case ..<(2 + 4 * sectors.count):
      switch kind {
      case 0: all(.kept, but: alone, .dropped)
      case 1: all(.dropped, but: alone, .kept)
      // One sector has no halves.
      case 2: all(.kept, but: alone, sectors[alone] > 1 ? .firstHalf : .dropped)
      default: all(.kept, but: alone, sectors[alone] > 1 ? .secondHalf : .dropped)
      }
    default: random(index)
    }
  }

  private func all(_ fate: TortureDisk.Fate, but index: Int, _ other: TortureDisk.Fate) -> [TortureDisk.Fate] {
    sectors.indices.map { $0 == index ? other : fate }
  }

  private func random(_ index: Int) -> [TortureDisk.Fate] {
    var chance = Chance(seed: seed &* 1_000_003 &+ UInt64(index))
    return sectors.map { sectors in
      switch UInt8.random(in: 0..<4, using: &chance) {
      case 0: .dropped
      case 1: sectors > 1 ? .sectors(chance.next()) : .dropped
      default: .kept
      }
    }
  }
}
