import CoreBluetooth
import Foundation

/// Which recorded request answers one of an app that does what it wants.
struct LooseReplay {
  /// The requests of one kind to one characteristic.
  private struct Track {
    var requests: [Int] = []
    var isPlayed: [Bool] = []
    /// All before it are played.
    var firstUnplayed = 0

    /// Marks a request as played.
    mutating func play(_ place: Int) -> Int {
      isPlayed[place] = true
      while firstUnplayed < isPlayed.count, isPlayed[firstUnplayed] { firstUnplayed += 1 }
      return requests[place]
    }

    /// The next request; after the end, the last one again.
    mutating func next() -> Int? { requests.isEmpty ? nil : play(min(firstUnplayed, requests.count - 1)) }

    mutating func append(_ request: Int) {
      requests.append(request)
      isPlayed.append(false)
    }
  }

  private var reads: [Int: Track] = [:]
  private var writes: [Int: Track] = [:]
  private var subscriptions: [Int: Track] = [:]
  private var ends: [Int: Track] = [:]

  init(_ tape: CassetteTape) {
    for (index, request) in tape.requests.enumerated() {
      switch request.kind {
      case .read, .readRefusal: reads[request.characteristic, default: Track()].append(index)
      case .write: writes[request.characteristic, default: Track()].append(index)
      case .subscription(isOn: true): subscriptions[request.characteristic, default: Track()].append(index)
      case .subscription: ends[request.characteristic, default: Track()].append(index)
      }
    }
  }

  /// The recorded request that is played for one; nil if there is none.
  mutating func play(_ request: ServedRequest, _ tape: CassetteTape) -> Int? {
    switch request {
    case .read(let characteristic): return reads[characteristic]?.next()
    case .write(let characteristic, let value, _):
      let next = writes[characteristic].flatMap { place(of: value, in: $0, tape) }
      return next.flatMap { writes[characteristic]?.play($0) }
    case .subscription(let characteristic, true): return subscriptions[characteristic]?.next()
    case .subscription(let characteristic, false): return ends[characteristic]?.next()
    }
  }

  /// The first write of this value that was not played, else the last one of this value again; for a value that was never
  /// written, the first write that was not played.
  private func place(of value: Data, in track: Track, _ tape: CassetteTape) -> Int? {
    func fits(_ place: Int) -> Bool {
      guard case .write(let recorded, _, _) = tape.requests[track.requests[place]].kind else { return false }
      return recorded.fits(value)
    }
    let unplayed = track.firstUnplayed..<track.requests.count
    return unplayed.first { !track.isPlayed[$0] && fits($0) } ?? track.requests.indices.last(where: fits)
      ?? unplayed.first
  }

  /// The requests that were not played, in the order of the tape.
  var unplayed: [Int] {
    [reads, writes, subscriptions, ends].flatMap(\.values).flatMap { track in
      track.requests.indices.filter { !track.isPlayed[$0] }.map { track.requests[$0] }
    }.sorted()
  }
}
