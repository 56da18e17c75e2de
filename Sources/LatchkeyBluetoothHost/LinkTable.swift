/// The links of a host, found by number or handle in a time that does not depend on their count.
struct LinkTable: RandomAccessCollection {
  /// In the order of their numbers, which is the order in which they came up.
  private var links: [Link] = []
  private var byHandle: [Link?] = []

  var startIndex: Int { links.startIndex }
  var endIndex: Int { links.endIndex }
  subscript(position: Int) -> Link { links[position] }

  /// The link of a number.
  subscript(id: LinkID) -> Link? { index(of: id).map { links[$0] } }

  /// The link of a handle.
  subscript(handle: ConnectionHandle) -> Link? {
    let number = Int(handle.rawValue)
    return number < byHandle.count ? byHandle[number] : nil
  }

  /// Adds a link, whose number is higher than all before, and whose handle is free.
  mutating func append(_ link: Link) {
    links.append(link)
    while byHandle.count <= Int(link.handle.rawValue) { byHandle.append(nil) }
    byHandle[Int(link.handle.rawValue)] = link
  }

  /// Removes a link. Does nothing if it is not there.
  mutating func remove(_ link: Link) {
    guard let index = index(of: link.id) else { return }
    links.remove(at: index)
    byHandle[Int(link.handle.rawValue)] = nil
  }

  private func index(of id: LinkID) -> Int? {
    var (low, high) = (0, links.count)
    while low < high {
      let middle = (low + high) / 2
      if links[middle].id.value < id.value { low = middle + 1 } else { high = middle }
    }
    return low < links.count && links[low].id == id ? low : nil
  }
}

/// The deadlines of links: a heap, so that neither reading the earliest nor changing one visits all.
///
/// A stale entry stays in the heap and is checked when it is due.
struct LinkDeadlines {
  private var entries: [(at: Duration, link: LinkID)] = []

  /// The earliest.
  var first: (at: Duration, link: LinkID)? { entries.first }

  mutating func insert(_ at: Duration, _ link: LinkID) {
    entries.append((at, link))
    var index = entries.count - 1
    while index > 0, entries[index].at < entries[(index - 1) / 2].at {
      entries.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func removeFirst() {
    guard let last = entries.popLast(), !entries.isEmpty else { return }
    entries[0] = last
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2] where child < entries.count && entries[child].at < entries[least].at {
        least = child
      }
      guard least != index else { return }
      entries.swapAt(index, least)
      index = least
    }
  }
}
