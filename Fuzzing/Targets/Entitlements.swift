// modules: LatchkeyAgeEncryption LatchkeyByteCoding LatchkeyProcessEnvironment LatchkeyKeychainModel LatchkeyPropertyLists LatchkeySystem LatchkeyUserPresence
// from LatchkeyKeychainStore: Access Keys
import LatchkeyKeychainModel

/// Any bytes are valid entitlements within their limits, or a configuration error that names the file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEntitlements(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  // Half of the attempts put the input inside a list, where the keys are: plain bytes rarely get that far.
  let isBody = (input.first ?? 0) & 1 == 1
  let body = Array(input.dropFirst())
  let bytes = isBody ? Array("<plist version=\"1.0\"><dict>".utf8) + body + Array("</dict></plist>".utf8) : body
  do {
    check(try Entitlements(parsing: bytes, named: "app.entitlements"))
  } catch {
    guard case .configuration(let text) = error, text.contains("app.entitlements") else { fatalError("\(error)") }
  }
  return 0
}

private func check(_ entitlements: Entitlements) {
  let groups = entitlements.accessGroups
  guard Set(groups).count == groups.count else { fatalError("a group twice") }
  guard groups.count <= 2 * Entitlements.maximumGroups + 1 else { fatalError("too many groups") }
  for group in groups {
    guard !group.isEmpty, group.utf8.count <= Entitlements.maximumNameBytes, !group.utf8.contains(0) else {
      fatalError("a group without a name, or with too long a one")
    }
    guard entitlements.include(group) else { fatalError("a listed group is not included") }
  }
  if let first = entitlements.groupOfNewItems, !entitlements.include(first) {
    fatalError("the group of new items is not included")
  }
}

/// The store defines this function; this target links no store and never calls it.
@_silgen_name("latchkey_process_keychain_session")
func noProcessSession() throws(StoreError) -> KeychainSession {
  throw .configuration("a fuzz target has no keychain")
}
