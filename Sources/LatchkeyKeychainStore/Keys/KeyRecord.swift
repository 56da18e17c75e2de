package import LatchkeyByteCoding
package import LatchkeyKeychainModel

/// One sealed key of a keychain, as stored in a row of the table `slot`.
package struct KeyRecord: Hashable, Sendable {
  /// The content of a record, and the key that opens it.
  package enum Kind: UInt8, Hashable, Sendable {
    /// The user root, wrapped by the device root alone: the keychain has no passcode.
    case userRootByDevice = 1
    /// The user root, wrapped by the passcode and the device root together.
    case userRootByPasscode = 2
    /// The keys of one accessibility.
    case classKeys = 3
    /// The private half of the presence key, wrapped by the passcode and the device root together; the parameters hold the
    /// public half. Present exactly if the epoch of the user root by the passcode is at least ``withPresenceKey``.
    case presenceKey = 4
    /// The private half of an earlier presence key, wrapped by a key from the current one: secrets that were sealed to it and
    /// are stored outside the keychain, or require their own password, still open with the passcode.
    case retiredPresenceKey = 5
    /// The keys that seal the secrets of one accessibility's enclave keys. They are preserved when the class's keys change,
    /// because a program may store such a key in its own file.
    case enclaveKeys = 6
    /// The keys of the audit log and of the enclave's marks, wrapped by the device root. Present once the device root was
    /// changed, with the same keys as before.
    case deviceKeys = 7
    /// The user root, and with a passcode the private half of the presence key, in an age file to recovery recipients, whose
    /// points are in the parameters; wrapped by the device root.
    case recovery = 8
    /// The key of the search tags of rows under the user root, which wraps it: present exactly if those tags depend on the
    /// passcode. A keychain of an earlier format has none until its passcode is next entered.
    case indexKey = 9
  }

  /// The epoch of a user root by a passcode with an accompanying presence key, so that neither can be dropped alone; keychains
  /// of format 1 have epoch 1, and no presence key.
  static let withPresenceKey: UInt32 = 2

  /// The first epoch in which all keys are of one generation: user root, class keys and presence key share an epoch, which
  /// increases with each change. Keychains of earlier versions have 1 or 2 in the user root and 1 in the others.
  static let ofOneGeneration: UInt32 = 3

  /// The limit of stored earlier presence keys.
  static let maximumRetired = 16

  /// The size limits of `parameters` and `wrapped` in a record that is read, in bytes.
  package static let maximumParameters = 256
  /// See ``maximumParameters``.
  package static let maximumWrapped = 1024
  /// The limit of records, above that of any keychain.
  package static let maximumCount = 64

  /// The record's kind.
  package var kind: Kind
  /// The accessibility, if the keys belong to one; nil for other kinds.
  package var accessibility: Accessibility?
  /// The key's generation.
  package var epoch: UInt32
  /// The passcode's derivation (``ScryptParameters``), the public half of a presence key, or recovery recipients; empty for
  /// other kinds.
  package var parameters: [UInt8]
  /// Nonce, ciphertext and tag (AES-256-GCM), then a MAC of the whole record under the device root.
  package var wrapped: [UInt8]

  /// Creates a record from its parts.
  package init(kind: Kind, accessibility: Accessibility?, epoch: UInt32, parameters: [UInt8], wrapped: [UInt8]) {
    self.kind = kind
    self.accessibility = accessibility
    self.epoch = epoch
    self.parameters = parameters
    self.wrapped = wrapped
  }

  /// The encoding: kind, accessibility, epoch, parameters and wrapped key; fields of variable length follow their length.
  package var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 64 + parameters.count + wrapped.count)
    writer.append(unwrappedPart)
    writer.uint16(UInt16(clamping: wrapped.count))
    writer.append(wrapped)
    return writer.bytes
  }

  /// Decodes ``encoded``.
  package init(encoded: [UInt8]) throws(ByteCodingError) {
    var reader = ByteReader(encoded)
    guard let kind = Kind(rawValue: try reader.uint8("kind of a key record")) else {
      throw .invalidValue(field: "kind of a key record")
    }
    let name = try reader.bytes(Int(try reader.uint8("length of an accessibility")), "accessibility of a key record")
    let accessibility = Accessibility(rawValue: String(decoding: name, as: UTF8.self))
    guard name.isEmpty || accessibility != nil else { throw .invalidValue(field: "accessibility of a key record") }
    let epoch = try reader.uint32("epoch of a key record")
    let parameters = try Self.field(&reader, maximum: Self.maximumParameters, "parameters of a key record")
    let wrapped = try Self.field(&reader, maximum: Self.maximumWrapped, "wrapped key of a key record")
    try reader.finish("key record")
    self.init(kind: kind, accessibility: accessibility, epoch: epoch, parameters: parameters, wrapped: wrapped)
  }

  private static func field(
    _ reader: inout ByteReader, maximum: Int, _ name: StaticString
  ) throws(ByteCodingError) -> [UInt8] {
    let count = Int(try reader.uint16(name))
    guard count <= maximum else { throw .invalidValue(field: name) }
    return try reader.bytes(count, name)
  }

  /// The encoding without the wrapped key.
  var unwrappedPart: [UInt8] {
    var writer = ByteWriter(capacity: 64)
    writer.uint8(kind.rawValue)
    let name = Array((accessibility?.rawValue ?? "").utf8)
    writer.uint8(UInt8(clamping: name.count))
    writer.append(name)
    writer.uint32(epoch)
    writer.uint16(UInt16(clamping: parameters.count))
    writer.append(parameters)
    return writer.bytes
  }
}
