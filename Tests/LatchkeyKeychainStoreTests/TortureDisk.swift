import LatchkeyTestSupport

/// A disk without power: what it holds for certain, and what may or may not be on it, after a prefix of a recording.
///
/// The model: what was written before a file's last sync is there. Of what came after, any subset may be missing, and of
/// each write any of its 512-byte sectors. Names come and go with a sync of the folder, all or none. SQLite's shared
/// memory is no file on a disk.
struct TortureDisk {
  /// The changes that have not been synced, in order.
  struct Pending {
    let file: Int
    let change: Change

    enum Change {
      case write(at: Int, [UInt8])
      case truncate(to: Int)
    }

    /// How many sectors it touches; a truncation happens as a whole.
    var sectors: Int {
      guard case .write(let offset, let bytes) = change, !bytes.isEmpty else { return 1 }
      return (offset + bytes.count - 1) / TortureDisk.sector - offset / TortureDisk.sector + 1
    }
  }

  /// What became of one pending change when the power went.
  enum Fate: Hashable {
    case dropped, kept, firstHalf, secondHalf
    /// Those sectors whose bit is set, the 64th and later as the 64th before.
    case sectors(UInt64)

    func keeps(sector: Int, of count: Int) -> Bool {
      switch self {
      case .dropped: false
      case .kept: true
      case .firstHalf: sector < (count + 1) / 2
      case .secondHalf: sector >= (count + 1) / 2
      case .sectors(let mask): mask >> UInt64(sector % 64) & 1 == 1
      }
    }
  }

  static let sector = 512

  private var durable: [[UInt8]] = []
  private(set) var pending: [Pending] = []
  private var names: [String: Int] = [:]
  private var durableNames: [String: Int] = [:]

  /// A disk on which these files are for certain.
  init(_ contents: [String: [UInt8]]) {
    for (name, bytes) in contents where !Self.isSharedMemory(name) {
      names[name] = durable.count
      durable.append(bytes)
    }
    durableNames = names
  }

  /// Whether names were given or taken since the folder was synced.
  var hasPendingNames: Bool { names != durableNames }

  mutating func happened(_ event: DiskEvent) {
    switch event {
    case .created(let name):
      names[name] = durable.count
      durable.append([])
    case .written(let name, let offset, let bytes):
      guard let file = names[name] else { return }
      pending.append(Pending(file: file, change: .write(at: offset, bytes)))
    case .truncated(let name, let size):
      guard let file = names[name] else { return }
      pending.append(Pending(file: file, change: .truncate(to: size)))
    case .synced(let name, let folder):
      if let file = names[name] {
        for change in pending where change.file == file { Self.apply(change, .kept, to: &durable[file]) }
        pending.removeAll { $0.file == file }
      }
      if folder { durableNames = names }
    case .deleted(let name, let folder):
      names[name] = nil
      if folder { durableNames = names }
    case .mark: break
    }
  }

  /// The files as they are when each pending change has met its fate.
  func contents(fates: [Fate], keepsNames: Bool) -> [String: [UInt8]] {
    var files = durable
    for (change, fate) in zip(pending, fates) { Self.apply(change, fate, to: &files[change.file]) }
    return (keepsNames ? names : durableNames).mapValues { files[$0] }
  }

  private static func apply(_ pending: Pending, _ fate: Fate, to file: inout [UInt8]) {
    switch pending.change {
    case .truncate(let size):
      guard fate.keeps(sector: 0, of: 1) else { return }
      if size < file.count { file.removeLast(file.count - size) } else { extend(&file, to: size) }
    case .write(let offset, let bytes):
      let count = pending.sectors
      for index in 0..<count where fate.keeps(sector: index, of: count) {
        let begin = max(offset, (offset / sector + index) * sector)
        let end = min(offset + bytes.count, (offset / sector + index + 1) * sector)
        guard begin < end else { continue }
        extend(&file, to: end)
        file.replaceSubrange(begin..<end, with: bytes[(begin - offset)..<(end - offset)])
      }
    }
  }

  /// A file written to beyond its end has zeros between.
  private static func extend(_ file: inout [UInt8], to size: Int) {
    if size > file.count { file.append(contentsOf: repeatElement(0, count: size - file.count)) }
  }

  private static func isSharedMemory(_ name: String) -> Bool { name.hasSuffix("-shm") }
}
