import Glibc
package import LatchkeyKeychainModel
import LatchkeyPropertyLists
import LatchkeySystem

/// A program's entitlements in a file: an Apple property list, XML or binary.
package struct EntitlementsFile: Hashable, Sendable {
  /// The size limit of the file, in bytes.
  package static let maximumBytes = 1 << 20
  /// The file's path.
  package let path: String

  /// The file at `path`.
  package init(path: String) { self.path = path }

  /// Reads and parses the file.
  ///
  /// - Throws: `.configuration` if the file is missing, not a regular file, too large or malformed. There is no silent default:
  ///   it would put items into unexpected groups.
  package func read() throws(StoreError) -> Entitlements {
    let file = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else { throw unreadable(String(cString: strerror(errno))) }
    defer { close(file) }
    // Other kinds of files may be endless, or have no data yet.
    var status = stat()
    guard fstat(file, &status) == 0 else { throw unreadable(String(cString: strerror(errno))) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .configuration(
        "the entitlements \(path) are \(status.st_mode & S_IFMT == S_IFDIR ? "a folder" : "no plain file"): \(Self.remedy)"
      )
    }
    let bytes: [UInt8]
    do throws(StoreError) {
      bytes = try FilePaths.readAll(file, maximum: Self.maximumBytes + 1, path: path)
    } catch {
      throw unreadable("\(error)")
    }
    guard bytes.count <= Self.maximumBytes else {
      throw .configuration("the entitlements \(path) are larger than \(Self.maximumBytes) bytes: \(Self.remedy)")
    }
    return try Entitlements(parsing: bytes, named: path)
  }

  private func unreadable(_ reason: String) -> StoreError {
    .configuration("the entitlements \(path) cannot be read (\(reason)): mend the file, or LATCHKEY_ENTITLEMENTS")
  }

  fileprivate static let remedy =
    "LATCHKEY_ENTITLEMENTS, or what lies beside the program under its name, is a property list, XML or binary"
}

extension Entitlements {
  /// The access groups in the bytes of an `.entitlements` property list (``init(_:named:)``).
  package init(parsing bytes: [UInt8], named name: String) throws(StoreError) {
    let list: PropertyList
    do {
      list = try PropertyList(parsing: bytes)
    } catch {
      throw .configuration("the entitlements \(name) are not a property list (\(error)): \(EntitlementsFile.remedy)")
    }
    try self.init(list, named: name)
  }
}
