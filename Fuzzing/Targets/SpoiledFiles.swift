// modules: LatchkeyAgeEncryption LatchkeyByteCoding LatchkeyProcessEnvironment LatchkeyKeychainModel LatchkeySystem LatchkeyUserPresence
// from LatchkeyKeychainStore: Keys Storage
import LatchkeyByteCoding
import LatchkeyKeychainModel

/// Reads the input as the pages of a database file, in sizes of pages that the input names: no record is larger than the
/// file, none has more columns than any keychain's row, and a second read finds the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSpoiledFiles(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  func read() -> [[DatabasePages.Value]] {
    var records: [[DatabasePages.Value]] = []
    DatabasePages(file: input).forEach { record in
      guard record.values.count <= 32 else { fatalError("a record with too many columns") }
      for case .bytes(let bytes) in record.values where bytes.count > input.count {
        fatalError("more bytes than the file has")
      }
      records.append(record.values)
    }
    return records
  }
  guard read() == read() else { fatalError("two reads differ") }
  return 0
}

/// The store defines this function; this target links no store and never calls it.
@_silgen_name("latchkey_process_keychain_session")
func noProcessSession() throws(StoreError) -> KeychainSession {
  throw .configuration("a fuzz target has no keychain")
}
