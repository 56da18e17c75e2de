// modules: LatchkeyAgeEncryption LatchkeyByteCoding LatchkeyProcessEnvironment LatchkeyKeychainModel LatchkeySystem LatchkeyUserPresence
// from LatchkeyKeychainStore: Keys Storage
import LatchkeyByteCoding
import LatchkeyKeychainModel

/// Reads the input as the pages of a database file, in sizes of pages that the input names: no record is larger than the
/// file, none has more columns than any keychain's row, and a second look finds the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSpoiledFiles(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  func read() -> [[DatabasePages.Value]] {
    var records: [[DatabasePages.Value]] = []
    DatabasePages(file: input).forEach { record in
      guard record.values.count <= 32 else { fatalError("a record with too many columns") }
      for case .bytes(let bytes) in record.values where bytes.count > input.count { fatalError("bytes from nowhere") }
      records.append(record.values)
    }
    return records
  }
  guard read() == read() else { fatalError("two looks differ") }
  return 0
}

/// What the store defines elsewhere, and nothing here asks for.
@_silgen_name("latchkey_process_keychain_session")
func noProcessSession() throws(StoreError) -> KeychainSession {
  throw .configuration("a fuzz target has no keychain")
}
