package import LatchkeyByteCoding
package import LatchkeyKeychainModel

/// One sealed key of a keychain as it is stored: a row of its table `slot`.
package struct KeyRecord: Hashable, Sendable {
  /// What a record holds, and what opens it.
  package enum Kind: UInt8, Hashable, Sendable {
    /// The user root, wrapped by the device root alone: the keychain has no passcode.
    case userRootByDevice = 1
    /// The user root, wrapped by the passcode and the device root together.
    case userRootByPasscode = 2
    /// The keys of one accessibility.
    case classKeys = 3
    /// The private half of the presence key, wrapped by the passcode and the device root together; the public half stands
    /// in the parameters. There exactly when the user root by the passcode is of the epoch ``withPresenceKey``.
    case presenceKey = 4
    /// The private half of an earlier presence key, wrapped by a key from the present one: secrets that were sealed to it and
    /// lie outside of the keychain, or wait for a password of their own, still open with the passcode.
    case retiredPresenceKey = 5
    /// What seals the secrets of the enclave's keys of one accessibility. It outlives a change of the class's keys, since such a
    /// key may be kept by a program in a file of its own.
    case enclaveKeys = 6
    /// The keys of the audit log and of the enclave's marks, wrapped by the device root: there once the device root was
    /// changed, and the same as before it.
    case deviceKeys = 7
    /// The user root, and with a passcode the private half of the presence key, in an age file to recovery recipients, whose
    /// points stand in the parameters; wrapped by the device root.
    case recovery = 8
    /// What makes the search tags of the rows under the user root, wrapped by it: there exactly when those tags hang on the
    /// passcode. A keychain of an earlier format has none before its passcode is given the next time.
    case indexKey = 9
  }

  /// The epoch of a user root by a passcode that has a presence key beside it, so that the one cannot be dropped without
  /// the other; keychains of format 1 have 1 there, and no presence key.
  static let withPresenceKey: UInt32 = 2

  /// The first epoch in which all keys are of one generation: user root, class keys and presence key have the same epoch, which
  /// grows with each change. Keychains of earlier versions have 1 or 2 in the user root and 1 in the others.
  static let ofOneGeneration: UInt32 = 3

  /// How many earlier presence keys are kept at most.
  static let maximumRetired = 16

  /// The longest `parameters` and `wrapped` of a record that is read.
  package static let maximumParameters = 256
  /// See ``maximumParameters``.
  package static let maximumWrapped = 1024
  /// More records than any keychain has.
  package static let maximumCount = 64

  /// What it holds.
  package var kind: Kind
  /// Whose class keys; nil for others.
  package var accessibility: Accessibility?
  /// The generation of the key.
  package var epoch: UInt32
  /// How the passcode becomes a key (``ScryptParameters``), the public half of a presence key, or recovery recipients; empty for others.
  package var parameters: [UInt8]
  /// Nonce, ciphertext and tag (AES-256-GCM), then a MAC of everything by the device root.
  package var wrapped: [UInt8]

  /// A record with these parts.
  package init(kind: Kind, accessibility: Accessibility?, epoch: UInt32, parameters: [UInt8], wrapped: [UInt8]) {
    self.kind = kind
    self.accessibility = accessibility
    self.epoch = epoch
    self.parameters = parameters
    self.wrapped = wrapped
  }

  /// The record in bytes: kind, accessibility, epoch, parameters and wrapped key, the texts with their lengths before.
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

  /// Everything but the wrapped key.
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
