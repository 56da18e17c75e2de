import Crypto
import Foundation
import LatchkeyByteCoding
import LatchkeyKeychainModel
import LatchkeySecretData
import LatchkeyUserPresence

/// Seals a secret under an access control, in two layers: an inner one under keys from the constraints, if any of them yields a
/// key, and an outer one under the protection's secret key.
///
/// The inner layer is AES-256-GCM under HKDF-SHA256 of all required inputs: for the passcode, the agreement of an ephemeral
/// X25519 key with the keychain's presence key, so that sealing needs no prompt; for an application password, its scrypt. The
/// outer layer is AES-256-GCM again. The caller enforces constraints that yield no key.
struct ConstraintSealer: Sendable {
  let ring: KeyRing
  /// The kind of secret: row keys are sealed again when the keys of their class change, but secrets of enclave keys may be
  /// stored anywhere.
  var purpose = Purpose.rows

  enum Purpose: Sendable { case rows, enclave }

  /// The size limit of a secret, in bytes.
  static let maximumSecret = 1 << 16
  private static let overhead = 6 + 64 + 45 + 2 * (12 + 16) + 1 + 6 + 64 + 45 + 16 + 8

  private func keys(_ control: StoredControl) throws(StoreError) -> ClassKeys {
    switch purpose {
    case .rows: try ring.classKeys(for: control.protection)
    case .enclave: try ring.enclaveKeys(for: control.protection)
    }
  }

  /// An access control prepared for sealing: all slow steps are done.
  struct Sealing: Sendable {
    /// The control under which it seals, as it is stored.
    let control: StoredControl
    fileprivate let header: ConstraintHeader
    fileprivate let innerKey: SymmetricKey?

    /// Whether secrets sealed with this open under the ring's current keys: those of the class, and the presence key if bound
    /// to one.
    func fits(_ ring: KeyRing) -> Bool {
      guard let keys = try? ring.classKeys(for: control.protection), keys.epoch == header.epoch else {
        return false
      }
      guard let recipient = header.recipient else { return true }
      return ring.presencePublicKey.map { Array($0.rawRepresentation) } == recipient.presenceKey
    }
  }

  /// Prepares to seal any number of secrets. The scrypt of an application password runs here.
  ///
  /// - Throws: `.locked`, `.passcodeNotSet`; `.presence(.credentialMissing)` without the application password.
  func sealing(under control: PreparedControl) throws(StoreError) -> Sealing {
    let keys = try keys(control.stored)
    var header = ConstraintHeader(epoch: keys.epoch)
    var material: [UInt8] = []
    defer { material.wipe() }
    if control.stored.isBoundToPasscode {
      guard let recipient = control.presencePublicKey else { throw .passcodeNotSet }
      let ephemeral = Curve25519.KeyAgreement.PrivateKey()
      header.recipient = ConstraintHeader.Recipient(
        presenceKey: Array(recipient.rawRepresentation), ephemeralKey: Array(ephemeral.publicKey.rawRepresentation))
      guard let shared = try? ephemeral.sharedSecretFromKeyAgreement(with: recipient) else {
        throw .damaged("the presence key is no point to agree with")
      }
      material.appendWiping(shared.withUnsafeBytes { Array($0) })
    }
    if control.stored.flags.contains(.applicationPassword) {
      let parameters = ring.cost.newParameters()
      header.password = parameters
      material.appendWiping(try Self.stretched(control.applicationPassword, parameters).exposedBytes)
    }
    let innerKey = header.isPlain ? nil : Frame.innerKey(material, header: header.encode(), storeUUID: ring.storeUUID)
    return Sealing(control: control.stored, header: header, innerKey: innerKey)
  }

  /// Seals a secret of at most 64 KiB; `binding` is authenticated with it.
  ///
  /// - Throws: as ``sealing(under:)``; `.invalidParameter` for a longer secret.
  func seal(
    _ secret: [UInt8], under control: PreparedControl, binding: [UInt8]
  ) throws(StoreError) -> [UInt8] {
    try seal(secret, by: try sealing(under: control), binding: binding)
  }

  /// Seals a secret of at most 64 KiB with a prepared control.
  func seal(_ secret: [UInt8], by sealing: Sealing, binding: [UInt8]) throws(StoreError) -> [UInt8] {
    guard secret.count <= Self.maximumSecret else {
      throw .invalidParameter("a secret under an access control has at most \(Self.maximumSecret) bytes")
    }
    let keys = try keys(sealing.control)
    guard sealing.header.epoch == keys.epoch else { throw .damaged("the keys of an accessibility changed") }
    let frame = Frame(
      header: sealing.header.encode(), storeUUID: ring.storeUUID, control: sealing.control, binding: binding)
    guard let innerKey = sealing.innerKey else {
      return frame.header + (try RowSealer.seal(secret, keys.secret, frame.bytes(.outer)))
    }
    let inner = try RowSealer.seal(secret, innerKey, frame.bytes(.inner))
    return frame.header + (try RowSealer.seal(inner, keys.secret, frame.bytes(.outer)))
  }

  /// Opens a sealed secret; the caller wipes the returned bytes.
  ///
  /// - Throws: `.locked`, `.passcodeNotSet`; `.presence(.authenticationFailed)` for a wrong application password; `.presence`
  ///   for a missing application password or passcode; `.invalidated` if the secret was bound to a passcode that has been
  ///   removed; `.damaged`.
  func open(
    _ sealed: [UInt8], under control: StoredControl, with authorization: Authorization, binding: [UInt8]
  ) throws(StoreError) -> [UInt8] {
    try open(sealed, under: control, with: authorization) { _ in binding }.secret
  }

  /// Opens the key of a row: `binding` returns the bytes to which it was bound when it was sealed at that origin.
  func open(
    _ sealed: [UInt8], under control: StoredControl, with authorization: Authorization,
    binding: (CarriedOrigin?) -> [UInt8]
  ) throws(StoreError) -> (secret: [UInt8], origin: CarriedOrigin?) {
    // The outer layer is verified first, so that nothing below depends on altered input.
    var (header, frame, outer) = try openOuter(sealed, under: control, binding: binding(nil))
    if header.isPlain { return (outer, nil) }
    defer { outer.wipe() }
    var origin: CarriedOrigin?
    var inner = outer
    defer { inner.wipe() }
    if header.isCarried {
      do {
        let carried = try CarriedOrigin.decode(outer)
        (origin, inner) = (carried.origin, carried.rest)
      } catch {
        throw .damaged("a secret that was carried over does not read: \(error)")
      }
      frame = Frame(
        header: origin?.header ?? [], storeUUID: ring.storeUUID, control: control, binding: binding(origin))
    }

    var material: [UInt8] = []
    defer { material.wipe() }
    if let recipient = header.recipient {
      material.appendWiping(try agreed(recipient, authorization.presenceKey))
    }
    if let password = header.password {
      material.appendWiping(try Self.stretched(authorization.applicationPassword, password).exposedBytes)
    }
    do {
      let key = Frame.innerKey(material, header: frame.header, storeUUID: ring.storeUUID)
      return (try RowSealer.open(inner, key, frame.bytes(.inner), "a secret under its constraints"), origin)
    } catch {
      // The outer layer was authentic, so only the password can be wrong.
      guard header.password != nil else { throw error }
      throw .presence(.authenticationFailed("the application password is not the one that was set: give that one"))
    }
  }

  private func openOuter(
    _ sealed: [UInt8], under control: StoredControl, binding: [UInt8]
  ) throws(StoreError) -> (header: ConstraintHeader, frame: Frame, outer: [UInt8]) {
    let keys = try keys(control)
    let (header, rest) = try Self.header(of: sealed, control, minimumRounds: ring.cost.minimumRounds)
    guard header.epoch == keys.epoch else { throw .damaged("a secret is sealed by keys that are gone") }
    let frame = Frame(
      header: Array(sealed.prefix(sealed.count - rest.count)), storeUUID: ring.storeUUID, control: control,
      binding: binding)
    let outer = try RowSealer.open(Array(rest), keys.secret, frame.bytes(.outer), "a secret under an access control")
    return (header, frame, outer)
  }

  /// Whether the inner layer requires an application password, so that the secret can be carried over but not sealed again.
  func needsPassword(_ sealed: [UInt8], under control: StoredControl) throws(StoreError) -> Bool {
    try Self.header(of: sealed, control, minimumRounds: ring.cost.minimumRounds).header.password != nil
  }

  /// Returns a row's sealed key with the same inner layer, and the outer layer sealed under the keys of `after`.
  ///
  /// - Parameters:
  ///   - binding: the bytes to which it is bound before and after.
  ///   - row: the row before.
  /// - Throws: `.damaged` if it was altered.
  func carried(
    _ sealed: [UInt8], under control: StoredControl, to after: ConstraintSealer,
    binding: (before: [UInt8], after: [UInt8]), of row: ItemRow
  ) throws(StoreError) -> [UInt8] {
    var (header, frame, outer) = try openOuter(sealed, under: control, binding: binding.before)
    defer { outer.wipe() }
    if !header.isCarried {
      let origin = CarriedOrigin(header: frame.header, groupTag: row.groupTag, epoch: row.epoch)
      var inside = outer
      defer { inside.wipe() }
      outer = origin.encode() + inside
    }
    let keys = try after.keys(control)
    header.isCarried = true
    header.epoch = keys.epoch
    let newFrame = Frame(
      header: header.encode(), storeUUID: ring.storeUUID, control: control, binding: binding.after)
    return newFrame.header + (try RowSealer.seal(outer, keys.secret, newFrame.bytes(.outer)))
  }

  /// The public half of the presence key to which a sealed secret is bound; nil if it is bound to none. Nothing is opened.
  ///
  /// - Throws: `.damaged` if `sealed` is not a secret sealed under `control`.
  func recipient(of sealed: [UInt8], under control: StoredControl) throws(StoreError) -> [UInt8]? {
    try Self.header(of: sealed, control, minimumRounds: ring.cost.minimumRounds).header.recipient?.presenceKey
  }

  /// Whether the outer layer opens. The inner layer, if there is one, stays closed.
  func isAuthentic(_ sealed: [UInt8], under control: StoredControl, binding: [UInt8]) throws(StoreError) -> Bool {
    do {
      var outer = try openOuter(sealed, under: control, binding: binding).outer
      outer.wipe()
      return true
    } catch .damaged {
      return false
    }
  }

  private static func header(
    of sealed: [UInt8], _ control: StoredControl, minimumRounds: Int
  ) throws(StoreError) -> (header: ConstraintHeader, rest: ArraySlice<UInt8>) {
    guard sealed.count <= maximumSecret + overhead else { throw .damaged("a sealed secret is too long") }
    let decoded: (header: ConstraintHeader, rest: ArraySlice<UInt8>)
    do {
      decoded = try ConstraintHeader.decode(sealed, minimumRounds: minimumRounds)
    } catch {
      throw .damaged("a sealed secret does not read: \(error)")
    }
    guard (decoded.header.recipient != nil) == control.isBoundToPasscode,
      (decoded.header.password != nil) == control.flags.contains(.applicationPassword)
    else { throw .damaged("a sealed secret is not sealed as its access control says") }
    return decoded
  }

  private func agreed(
    _ recipient: ConstraintHeader.Recipient, _ present: Curve25519.KeyAgreement.PrivateKey?
  ) throws(StoreError) -> [UInt8] {
    guard let present else { throw .presence(.notInteractive("the passcode opens this, and it was not given")) }
    guard let key = ring.presenceKey(for: recipient.presenceKey, by: present) else {
      throw .invalidated("this was bound to a passcode that was removed since: delete it and make it anew")
    }
    guard let peer = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: recipient.ephemeralKey),
      let shared = try? key.sharedSecretFromKeyAgreement(with: peer)
    else { throw .damaged("a sealed secret has no key to agree with") }
    return shared.withUnsafeBytes { Array($0) }
  }

  private static func stretched(
    _ password: [UInt8]?, _ parameters: ScryptParameters
  ) throws(StoreError) -> SymmetricKey {
    guard let password, !password.isEmpty else {
      throw .presence(.credentialMissing("the application's own password is wanted: set it in the context"))
    }
    return try parameters.stretch(password, "the application password")
  }
}

extension ConstraintHeader {
  /// Whether there is no inner layer.
  fileprivate var isPlain: Bool { recipient == nil && password == nil }
}

/// The data to which both layers of a sealed secret are bound: the keychain, the access control, the header, and the caller's
/// own binding.
private struct Frame {
  let header: [UInt8]
  let storeUUID: [UInt8]
  let control: StoredControl
  let binding: [UInt8]

  enum Layer: UInt8 { case outer = 1, inner = 2 }

  func bytes(_ layer: Layer) -> [UInt8] {
    let column = control.encodeWhole()
    var writer = ByteWriter(capacity: 64 + column.count + header.count + binding.count)
    writer.append(Array("KC2 constraint".utf8))
    writer.uint8(layer.rawValue)
    writer.append(storeUUID)
    writer.uint8(UInt8(truncatingIfNeeded: StoredCodes.code(of: control.protection)))
    writer.uint8(UInt8(truncatingIfNeeded: column.count))
    writer.append(column)
    writer.uint8(UInt8(truncatingIfNeeded: header.count))
    writer.append(header)
    writer.append(binding)
    return writer.bytes
  }

  /// Derives the inner layer's key from all required inputs.
  static func innerKey(_ material: [UInt8], header: [UInt8], storeUUID: [UInt8]) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: material), salt: storeUUID,
      info: Array("latchkey/2/constraint".utf8) + header, outputByteCount: 32)
  }
}

extension [UInt8] {
  /// Appends secret bytes, and wipes the previous storage of both.
  fileprivate mutating func appendWiping(_ other: [UInt8]) {
    var other = other
    var joined = [UInt8](unsafeUninitializedCapacity: count + other.count) { buffer, initialized in
      for (index, byte) in self.enumerated() { buffer.initializeElement(at: index, to: byte) }
      for (index, byte) in other.enumerated() { buffer.initializeElement(at: self.count + index, to: byte) }
      initialized = self.count + other.count
    }
    wipe()
    other.wipe()
    swap(&self, &joined)
  }
}
