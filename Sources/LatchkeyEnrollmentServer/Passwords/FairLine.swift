/// A fair queue in which each source has its turn, one item at a time: a busy source waits only behind itself.
///
/// A source is a path, such as network, address and user: the networks take turns, within each its addresses, and so on. A
/// queue that has become too long drops the last item of the source with the most items.
struct FairLine<Turn: Hashable, Item> {
  fileprivate struct Branch {
    var items: [Item] = []
    var turns: [Turn] = []
    var branches: [Turn: Branch] = [:]
    var count = 0
  }

  private var root = Branch()

  /// The number of queued items.
  var count: Int { root.count }

  /// Enqueues an item. The paths of all sources have the same length.
  mutating func append(_ item: Item, of source: [Turn]) { root.append(item, source[...]) }

  /// Dequeues the next item; its source goes to the end of the queue.
  mutating func next() -> Item? { root.next() }

  /// Removes the last item of the source with the most items; among several, of `newest`.
  mutating func dropLast(newest source: [Turn]) -> Item? { root.dropLast(source[...]) }

  /// Removes all items that match.
  mutating func removeAll(where isOut: (Item) -> Bool) -> [Item] { root.removeAll(where: isOut) }
}

extension FairLine.Branch {
  fileprivate mutating func append(_ item: Item, _ path: ArraySlice<Turn>) {
    count += 1
    guard let turn = path.first else { return items.append(item) }
    if branches[turn] == nil { turns.append(turn) }
    branches[turn, default: .init()].append(item, path.dropFirst())
  }

  fileprivate mutating func next() -> Item? {
    guard count > 0 else { return nil }
    count -= 1
    guard !turns.isEmpty else { return items.removeFirst() }
    let turn = turns.removeFirst()
    let item = branches[turn]?.next()
    if branches[turn]?.count == 0 { branches[turn] = nil } else { turns.append(turn) }
    return item
  }

  fileprivate mutating func dropLast(_ path: ArraySlice<Turn>) -> Item? {
    guard count > 0 else { return nil }
    count -= 1
    guard let most = branches.values.map(\.count).max() else { return items.removeLast() }
    let isNewest = path.first.map { branches[$0]?.count == most } ?? false
    guard let turn = isNewest ? path.first : turns.last(where: { branches[$0]?.count == most }) else { return nil }
    let item = branches[turn]?.dropLast(isNewest ? path.dropFirst() : [])
    forget(turn)
    return item
  }

  fileprivate mutating func removeAll(where isOut: (Item) -> Bool) -> [Item] {
    var out = items.filter(isOut)
    items.removeAll(where: isOut)
    for turn in turns {
      out += branches[turn]?.removeAll(where: isOut) ?? []
      forget(turn)
    }
    count -= out.count
    return out
  }

  private mutating func forget(_ turn: Turn) {
    guard branches[turn]?.count == 0 else { return }
    branches[turn] = nil
    turns.removeAll { $0 == turn }
  }
}
