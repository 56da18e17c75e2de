import LatchkeyByteCoding

/// What a server knows of a client's copy of its database (Core 6.0 Vol 3 Part G 2.5.2.1), and the features that the
/// client supports (7.2).
///
/// A client that wants to be told (Robust Caching) is refused once when the database has changed without its knowledge;
/// any client counts as aware again by what it received and by its next request.
struct ClientAwareness: Sendable {
  /// The feature Robust Caching.
  static let robustCaching: UInt8 = 0x01
  /// The features that are defined; other bits are not kept.
  private static let defined: UInt8 = 0x07

  /// The features that the client wrote.
  private(set) var features: UInt8 = 0
  /// Whether the client knows of the last change.
  private(set) var isAware = true
  /// Whether the client was told of the last change, or has read the hash since. Its next request makes it aware.
  private(set) var isInformed = false
  /// The number of changes so far.
  private(set) var changes: UInt64 = 0
  /// The value of Service Changed.
  private(set) var serviceChanged: AttributeHandle = 0

  /// Whether the client is to be refused, and gets no values but that of Service Changed.
  var isOutOfSync: Bool { !isAware && features & Self.robustCaching != 0 }

  /// Handles a change of the database.
  mutating func databaseChanged(serviceChanged: AttributeHandle) {
    changes &+= 1
    isAware = false
    isInformed = false
    self.serviceChanged = serviceChanged
  }

  /// Handles that the client is sent the error, or the hash.
  mutating func inform() { isInformed = !isAware }

  /// Handles a request. Returns whether it made the client aware.
  mutating func requestArrived() -> Bool {
    guard isInformed else { return false }
    becomeAware()
    return true
  }

  /// Handles the confirmation of a Service Changed that was made after so many changes. Returns whether it made the
  /// client aware.
  mutating func confirmed(_ changes: UInt64) -> Bool {
    guard !isAware, changes == self.changes else { return false }
    becomeAware()
    return true
  }

  private mutating func becomeAware() {
    isAware = true
    isInformed = false
  }

  /// Sets the features of a bonded client.
  mutating func restore(features: UInt8) { self.features |= features & Self.defined }

  /// Sets the features that a client writes: a set bit stays set, and bits without a meaning are ignored (7.2).
  ///
  /// - Returns: the error of a value that is not allowed.
  mutating func write(_ value: [UInt8]) -> ATTErrorCode? {
    guard let first = value.first, value.count <= ATTLimits.longestValue else { return .invalidAttributeValueLength }
    guard features & ~first == 0 else { return .valueNotAllowed }
    features = first & Self.defined
    return nil
  }
}

extension ATTServer {
  /// Handles a change of the database: the client does not know of it.
  package mutating func databaseChanged(_ database: GATTDatabase) {
    awareness.databaseChanged(serviceChanged: database.serviceChangedHandle)
  }

  /// Refuses a request that names attributes by handles of an old database (Core 6.0 Vol 3 Part G 2.5.2.1). Discovery
  /// goes on.
  mutating func admit(_ opcode: UInt8, _ parameters: ByteReader) throws(ATTRefusal) {
    if awareness.requestArrived() { hasChangedClient = true }
    guard awareness.isOutOfSync else { return }
    var reader = parameters
    var handle: AttributeHandle = 0
    switch ATTOpcode(rawValue: opcode) {
    case .readRequest, .readBlobRequest, .readMultipleRequest, .readMultipleVariableRequest, .writeRequest,
      .prepareWriteRequest:
      guard let first = try? reader.uint16("attribute handle") else { return }
      handle = first
    case .executeWriteRequest:
      guard reader.peek() != 0 else { return }
      _ = prepared.removeAll()
    case .readByTypeRequest:
      guard let request = try? ATTReadByTypeRequest(whole: parameters), request.range != .all,
        request.type != AttributeType.include, request.type != AttributeType.characteristic
      else { return }
      handle = request.range.start
    default: return
    }
    awareness.inform()
    hasChangedClient = true
    throw ATTRefusal(.databaseOutOfSync, handle)
  }

  /// Handles that the client gets the value of an attribute that may be the hash.
  @inline(__always)
  mutating func noteRead(of type: BluetoothUUID) {
    guard !awareness.isAware, type == AttributeType.databaseHash else { return }
    awareness.inform()
    hasChangedClient = true
  }
}
