// modules: LatchkeyAgeEncryption LatchkeyByteCoding LatchkeyProcessEnvironment LatchkeyKeychainModel LatchkeySystem LatchkeyUserPresence
// from LatchkeyKeychainStore: Keys Storage
import Crypto
import LatchkeyByteCoding
import LatchkeyKeychainModel
import LatchkeyUserPresence

/// Reads the input as each field of a row and of the header, and alters a sealed row: an accepted field encodes to the same
/// bytes, and an altered row opens with its original content or not at all.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStoredRows(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let choice = input.first else { return 0 }
  let rest = Array(input.dropFirst())
  switch choice % 9 {
  case 0: checkContent(rest)
  case 1: checkPadding(rest)
  case 2: check(rest, { (bytes) throws(ByteCodingError) in try TagList.decode(bytes) }, { $0.encode() })
  case 3: check(rest, { (bytes) throws(ByteCodingError) in try HeaderState.decode(bytes) }, { $0.encode() })
  case 4:
    check(
      rest, { (bytes) throws(ByteCodingError) in try StoredControl.decode(bytes, protection: .always) },
      { $0.encode() ?? [] })
  case 5: checkSum(rest)
  case 6: checkRow(rest)
  case 7:
    check(
      rest,
      { (bytes) throws(ByteCodingError) in
        let (header, after) = try ConstraintHeader.decode(bytes)
        return header.encode() + after
      }, { $0 })
  default: checkSecret(rest)
  }
  return 0
}

private func check<Value>(
  _ bytes: [UInt8], _ decode: ([UInt8]) throws(ByteCodingError) -> Value, _ encode: (Value) -> [UInt8]
) {
  guard let value = try? decode(bytes) else { return }
  guard encode(value) == bytes else { fatalError("encodes to other bytes") }
}

private func checkContent(_ bytes: [UInt8]) {
  guard let content = try? ItemContent.decode(bytes) else { return }
  let encoded = content.encode()
  guard encoded == bytes, content.encodedSize == encoded.count else { fatalError("encodes to other bytes") }
  let tags = IndexTags(indexKey: SymmetricKey(data: [UInt8](repeating: 1, count: 32)))
  let list = tags.list(content.attributes, in: 1)
  guard (try? TagList.decode(list.encode())) == list else { fatalError("tags read differently") }
}

private func checkPadding(_ bytes: [UInt8]) {
  check(bytes, { (bytes) throws(ByteCodingError) in try PaddedBytes.decode(bytes) }, { PaddedBytes.encode($0) })
  guard (try? PaddedBytes.decode(PaddedBytes.encode(bytes))) == bytes else {
    fatalError("padded bytes read differently")
  }
}

private func checkSum(_ bytes: [UInt8]) {
  let sum = SetHash(bytes: Array(bytes.prefix(32)))
  let other = SetHash(bytes: Array(bytes.dropFirst(32).prefix(32)))
  var both = sum
  both.add(other)
  both.subtract(other)
  guard both == sum, SetHash(bytes: both.bytes) == sum else { fatalError("the sum reads differently") }
}

/// One keychain's keys and one row, made once.
private enum Sealed {
  static let keychain: (sealer: RowSealer, keys: ClassKeys, row: ItemRow)? = {
    let uuid = [UInt8](repeating: 5, count: 16)
    guard let ring = try? KeyRing.create(storeUUID: uuid, root: RootKey()).ring,
      let keys = try? ring.classKeys(for: .always)
    else { return nil }
    let sealer = RowSealer(storeUUID: uuid, setHashKey: ring.setHashKey)
    var row = ItemRow(
      id: 1, uuid: [UInt8](repeating: 1, count: 16), itemClass: 1, synchronizable: 0,
      groupTag: [UInt8](repeating: 2, count: 16), accessibility: 3, uniqueTag: [UInt8](repeating: 3, count: 16),
      version: 1, epoch: 1, accessControl: nil, tags: [], meta: [], wrappedKey: nil, data: nil, mark: [])
    guard (try? sealer.seal(content, data: data, into: &row, keys: keys)) != nil else { return nil }
    return (sealer, keys, row)
  }()
  static let content = ItemContent(accessGroup: "group", attributes: [.account: .text("anna"), .creator: .number(1)])
  static let data: [UInt8] = [1, 2, 3]
}

/// A secret under an application's password, sealed once at the least cost.
private enum Guarded {
  static let sealed: (sealer: ConstraintSealer, secret: [UInt8])? = {
    let uuid = [UInt8](repeating: 5, count: 16)
    guard let ring = try? KeyRing.create(storeUUID: uuid, root: RootKey(), cost: PasscodeCost(rounds: 2)).ring else {
      return nil
    }
    let sealer = ConstraintSealer(ring: ring)
    let prepared = PreparedControl(stored: control, presencePublicKey: nil, applicationPassword: password)
    guard let sealed = try? sealer.seal(secret, under: prepared, binding: []) else { return nil }
    return (sealer, sealed)
  }()
  static let secret: [UInt8] = [1, 2, 3]
  static let password: [UInt8] = [4]
  static let control = StoredControl(
    control: AccessControl(protection: .always, flags: .applicationPassword), enrollment: nil, isBoundToPasscode: false)
}

private func checkSecret(_ bytes: [UInt8]) {
  guard let (sealer, sealed) = Guarded.sealed else { fatalError("sealing a secret fails") }
  let authorization = Authorization(presenceKey: nil, applicationPassword: Guarded.password)
  // The input itself, and the sealed secret altered by it.
  guard (try? sealer.open(bytes, under: Guarded.control, with: authorization, binding: [])) == nil || bytes == sealed
  else { fatalError("an unsealed secret opens") }
  var altered = sealed
  var reader = ByteReader(bytes)
  while let place = try? reader.uint8("place"), let mask = try? reader.uint8("mask") {
    altered[Int(place) % altered.count] ^= mask
  }
  let opened = try? sealer.open(altered, under: Guarded.control, with: authorization, binding: [])
  guard opened == (altered == sealed ? Guarded.secret : nil) else { fatalError("an altered secret opens") }
}

private func checkRow(_ bytes: [UInt8]) {
  guard let (sealer, keys, sealed) = Sealed.keychain else { fatalError("creating a keychain fails") }
  var reader = ByteReader(bytes)
  var row = sealed
  while let column = try? reader.uint8("column"), let place = try? reader.uint8("place"),
    let mask = try? reader.uint8("mask")
  {
    alter(&row, column, Int(place), mask)
  }
  let isSame = row.markedBytes == sealed.markedBytes && row.mark == sealed.mark
  guard sealer.isAuthentic(row) == isSame else { fatalError("an altered row is authentic") }
  if let content = try? sealer.openContent(row, keys: keys), content != Sealed.content {
    fatalError("the attributes differ")
  }
  if let data = try? sealer.openData(row, keys: keys), data != Sealed.data { fatalError("the data differs") }
}

private func alter(_ row: inout ItemRow, _ column: UInt8, _ place: Int, _ mask: UInt8) {
  func flip(_ bytes: inout [UInt8]) {
    if mask == 0 {
      bytes = Array(bytes.prefix(place))
    } else if !bytes.isEmpty {
      bytes[place % bytes.count] ^= mask
    }
  }
  switch column % 14 {
  case 0: flip(&row.uuid)
  case 1: row.itemClass ^= Int64(mask)
  case 2: row.synchronizable ^= Int64(mask)
  case 3: flip(&row.groupTag)
  case 4: row.accessibility ^= Int64(mask)
  case 5: flip(&row.uniqueTag)
  case 6: row.version ^= Int64(mask)
  case 7: row.epoch ^= Int64(mask)
  case 8: row.accessControl = mask == 0 ? nil : [mask]
  case 9: flip(&row.tags)
  case 10: flip(&row.meta)
  case 11: if mask == 0 { row.wrappedKey = nil } else { row.wrappedKey?[place % 60] ^= mask }
  case 12: if mask == 0 { swap(&row.meta, &row.tags) } else { row.data?[place % 44] ^= mask }
  default: flip(&row.mark)
  }
}

/// The store defines this function; this target links no store and never calls it.
@_silgen_name("latchkey_process_keychain_session")
func noProcessSession() throws(StoreError) -> KeychainSession {
  throw .configuration("a fuzz target has no keychain")
}
