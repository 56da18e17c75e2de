// modules: LatchkeyAgeEncryption LatchkeyByteCoding LatchkeyProcessEnvironment LatchkeyKeychainModel LatchkeySystem LatchkeyUserPresence
// from LatchkeyKeychainStore: Keys
import Crypto
import LatchkeyByteCoding
import LatchkeyKeychainModel

/// Reads the input as a key record, as parameters of a passcode and as a count of wrong ones; then alters the records of
/// a keychain: they are intact or refused, and never open another key.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzKeyRecords(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let choice = input.first else { return 0 }
  let rest = Array(input.dropFirst())
  switch choice & 0x03 {
  case 0 where choice & 0x04 != 0: checkList(rest)
  case 0: checkRecord(rest)
  case 1: checkParameters(rest)
  case 2: checkAttempts(rest)
  default: checkRing(rest, withPasscode: choice & 0x04 != 0)
  }
  return 0
}

private func checkRecord(_ bytes: [UInt8]) {
  guard let record = try? KeyRecord(encoded: bytes) else { return }
  guard record.encoded == bytes else { fatalError("encodes to other bytes") }
  guard record.parameters.count <= KeyRecord.maximumParameters, record.wrapped.count <= KeyRecord.maximumWrapped else {
    fatalError("a record above the maximum")
  }
  guard refused([record]) else { fatalError("an unsealed record opens") }
}

private func checkList(_ bytes: [UInt8]) {
  guard let records = try? KeyRecordList.decode(bytes) else { return }
  guard records.count <= KeyRecord.maximumCount else { fatalError("more records than the maximum") }
  guard KeyRecordList.encode(records) == bytes else { fatalError("encodes to other bytes") }
}

private func checkParameters(_ bytes: [UInt8]) {
  guard let parameters = try? ScryptParameters(encoded: bytes) else { return }
  guard parameters.encoded == bytes else { fatalError("encodes to other bytes") }
  guard (ScryptParameters.least...ScryptParameters.ceiling).contains(parameters.rounds) else {
    fatalError("a cost out of bounds: \(parameters.rounds)")
  }
}

/// For any count the delay is finite, within the table, and ends at its deadline.
private func checkAttempts(_ bytes: [UInt8]) {
  guard let state = try? AttemptState(encoded: Array(bytes.prefix(AttemptState.byteCount))) else { return }
  var reader = ByteReader(bytes, from: AttemptState.byteCount)
  let now = Double(Int64(bitPattern: (try? reader.uint64("now")) ?? 0) >> 16)
  let left = state.delayLeft(now: now)
  guard (0...3600).contains(left) else { fatalError("a delay of \(left) s") }
  let anchored = state.anchored(now: now)
  guard anchored.delayLeft(now: now) == left else { fatalError("the delay differs") }
  guard anchored.delayLeft(now: now + 3601) == 0 else { fatalError("the delay does not end") }
  guard let begun = try? state.beginning(now: now) else {
    guard left > 0 else { fatalError("refused without a delay") }
    return
  }
  guard left == 0, begun.failures >= state.failures, let again = try? AttemptState(encoded: begun.encoded),
    again == begun
  else { fatalError("an attempt is not counted") }
}

/// Edits of a keychain's records: each is a record, an offset in its encoding, and a byte to put there; or a swap.
private func checkRing(_ script: [UInt8], withPasscode: Bool) {
  let original = withPasscode ? Sample.shared.withPasscode : Sample.shared.plain
  var records = original
  var reader = ByteReader(script)
  while let edit = try? reader.uint8("edit"), let argument = try? reader.uint16("argument"), !records.isEmpty {
    let index = Int(edit >> 2) % records.count
    switch edit & 0x03 {
    case 0, 1:
      var bytes = records[index].encoded
      bytes[Int(argument >> 8) % bytes.count] ^= UInt8(truncatingIfNeeded: argument)
      guard let altered = try? KeyRecord(encoded: bytes) else { return }
      records[index] = altered
    case 2: records.swapAt(index, Int(argument) % records.count)
    default:
      if argument & 1 == 0 {
        records.remove(at: index)
      } else {
        records.append(Sample.shared.withPasscode[index % Sample.shared.withPasscode.count])
      }
      guard records.count <= 80 else { return }
    }
  }
  // The header names the records by this digest, also those that the key ring does not use.
  guard (KeyRecordList.digest(records) == KeyRecordList.digest(original)) == (records == original) else {
    fatalError("altered records have the same digest")
  }
  // The records of its other time make a ring, and so do those without an index key, as an earlier format has them.
  let isRing = [Sample.shared.plain, Sample.shared.withPasscode].contains { whole in
    [whole, whole.filter { $0.kind != .indexKey }].contains { Set(records) == Set($0) && records.count == $0.count }
  }
  guard refused(records) == !isRing else { fatalError("altered records open, or intact ones are refused") }
}

/// Whether these records make no ring; other errors than damage and a wrong root key are none that may come.
private func refused(_ records: [KeyRecord]) -> Bool {
  do {
    let ring = try Sample.shared.ring(records)
    guard let keys = try? ring.classKeys(for: .always), Sample.shared.alwaysKeys.contains(keys.secret) else {
      fatalError("another key")
    }
    return false
  } catch .damaged, .rootKeyUnavailable {
    return true
  } catch {
    fatalError("\(error)")
  }
}

/// One keychain, without a passcode and with one.
private struct Sample {
  static let shared = Sample()
  private static let uuid = [UInt8](repeating: 9, count: 16)
  private static let cost = PasscodeCost(rounds: 2)
  let plain: [KeyRecord]
  let withPasscode: [KeyRecord]
  let alwaysKeys: [SymmetricKey]
  private let root = RootKey()

  private init() {
    do {
      let (ring, records) = try KeyRing.create(storeUUID: Self.uuid, root: root, cost: Self.cost)
      plain = records
      withPasscode = try ring.settingPasscode([1, 2, 3], current: nil).records
      alwaysKeys = try [
        ring.classKeys(for: .always).secret,
        KeyRing(records: withPasscode, storeUUID: Self.uuid, root: root, cost: Self.cost).classKeys(for: .always)
          .secret,
      ]
    } catch {
      fatalError("\(error)")
    }
  }

  func ring(_ records: [KeyRecord]) throws(StoreError) -> KeyRing {
    try KeyRing(records: records, storeUUID: Self.uuid, root: root, cost: Self.cost)
  }
}

/// The store defines this function; this target links no store and never calls it.
@_silgen_name("latchkey_process_keychain_session")
func noProcessSession() throws(StoreError) -> KeychainSession {
  throw .configuration("a fuzz target has no keychain")
}
