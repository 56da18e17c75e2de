/// The parts of values that a peer has queued for an Execute Write (Core 6.0 Vol 3 Part F 3.4.6).
struct PreparedWrites: Sendable {
  /// How many parts one peer may queue: a 512-byte value accepts 29 at the smallest ATT_MTU.
  static let mostParts = 128
  /// How many bytes one peer may queue: several values.
  static let mostBytes = 4096

  private(set) var parts: [GATTWriteRequest.Part] = []
  private var byteCount = 0

  /// Queues a part; false if the queue is full.
  mutating func append(_ part: GATTWriteRequest.Part) -> Bool {
    guard parts.count < Self.mostParts, byteCount + part.value.count <= Self.mostBytes else { return false }
    byteCount += part.value.count
    parts.append(part)
    return true
  }

  /// Empties the queue. Parts of one attribute that follow on one another are joined.
  mutating func removeAll() -> [GATTWriteRequest.Part] {
    var joined: [GATTWriteRequest.Part] = []
    for part in parts {
      if let last = joined.indices.last, joined[last].handle == part.handle,
        joined[last].offset + joined[last].value.count == part.offset
      {
        joined[last].value += part.value
      } else {
        joined.append(part)
      }
    }
    self = PreparedWrites()
    return joined
  }
}

/// An Execute Write in progress: each owner is asked once for all its parts; the configurations of this link are set
/// last.
///
/// An owner's refusal ends it. Parts that earlier owners accepted stay written: only the parts of one owner are all or
/// nothing.
struct WriteExecution: Sendable {
  /// The parts by owner, in the order of each owner's first part; the first owner is being asked.
  var batches: [(owner: ClientID, parts: [GATTWriteRequest.Part])] = []
  /// Configurations to set, validated before.
  var configurations: [LinkSubscriptions.Entry] = []

  mutating func append(_ part: GATTWriteRequest.Part, owner: ClientID) {
    if let index = batches.firstIndex(where: { $0.owner == owner }) {
      batches[index].parts.append(part)
    } else {
      batches.append((owner, [part]))
    }
  }

  /// The first attribute of the batch that is being written.
  var handle: AttributeHandle { batches.first?.parts.first?.handle ?? 0 }

  /// Whether an attribute of `range` is being written.
  func asks(in range: AttributeHandleRange) -> Bool {
    batches.first?.parts.contains { range.contains($0.handle) } ?? false
  }
}
