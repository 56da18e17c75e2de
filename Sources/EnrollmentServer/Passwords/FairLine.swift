/// A line in which whoever asks often waits behind themselves: each source has its turn, one piece at a time. It is bounded, in all
/// and for one source; where it is full, a source that has nothing in it takes the last place of the one that has most.
struct FairLine<Source: Hashable, Item> {
  private var turns: [Source] = []
  private var items: [Source: [Item]] = [:]
  private let longest: Int
  private let longestOfOne: Int
  private(set) var count = 0

  /// - Parameters:
  ///   - longest: pieces in all.
  ///   - longestOfOne: pieces of one source.
  init(longest: Int, longestOfOne: Int) {
    self.longest = longest
    self.longestOfOne = longestOfOne
  }

  /// Puts a piece into the line.
  ///
  /// - Returns: whether there was a place, and the piece that had to make it.
  mutating func append(_ item: Item, of source: Source) -> (isTaken: Bool, displaced: Item?) {
    let own = items[source]?.count ?? 0
    guard own < longestOfOne, longest > 0 else { return (false, nil) }
    var displaced: Item?
    if count >= longest {
      guard own == 0, let greedy = turns.max(by: { (items[$0]?.count ?? 0) < (items[$1]?.count ?? 0) }),
        items[greedy]?.count ?? 0 > 1
      else { return (false, nil) }
      displaced = items[greedy]?.popLast()
      count -= 1
    }
    if own == 0 { turns.append(source) }
    items[source, default: []].append(item)
    count += 1
    return (true, displaced)
  }

  /// The next piece; its source goes to the end of the line.
  mutating func next() -> Item? {
    guard !turns.isEmpty else { return nil }
    let source = turns.removeFirst()
    guard var own = items.removeValue(forKey: source), !own.isEmpty else { return nil }
    let item = own.removeFirst()
    count -= 1
    if !own.isEmpty {
      items[source] = own
      turns.append(source)
    }
    return item
  }
}
