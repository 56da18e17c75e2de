import Foundation
import LatchkeyPropertyLists

/// A property list as an item's data: a binary property list, or a keyed archive.
enum StoredValue {
  static func encode(_ list: PropertyList, as form: KeyChainManager.Form) throws(KeychainItemError) -> [UInt8] {
    // A list that looks like an archive would be parsed as one. So it is archived, and decodes to itself.
    guard form == .keyedArchive || looksLikeArchive(list) else {
      do throws(PropertyListError) { return try list.binary() } catch { throw .notAPropertyList }
    }
    do throws(KeyedArchiveError) { return try KeyedArchive.write(list) } catch { throw .notAPropertyList }
  }

  /// Parses either format, and XML property lists.
  static func decode(_ bytes: [UInt8]) throws(KeychainItemError) -> PropertyList {
    let list: PropertyList
    do throws(PropertyListError) {
      list = try PropertyList(parsing: bytes)
    } catch {
      throw .unreadable(reason: "\(error)")
    }
    guard looksLikeArchive(list) else { return list }
    do throws(KeyedArchiveError) {
      return try KeyedArchive.read(bytes)
    } catch {
      throw .unreadable(reason: "\(error)")
    }
  }

  private static func looksLikeArchive(_ list: PropertyList) -> Bool {
    guard case .dictionary(let entries) = list else { return false }
    return entries["$archiver"] != nil && entries["$objects"] != nil
  }
}
