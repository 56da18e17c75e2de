import Glibc
package import KeychainModel
import PropertyLists

/// A program's entitlements in a file: an Apple property list, XML or binary.
package struct EntitlementsFile: Hashable, Sendable {
  /// The most bytes that are read.
  package static let maximumBytes = 1 << 20
  /// Where it is.
  package let path: String

  /// The file at `path`.
  package init(path: String) { self.path = path }

  /// What it says.
  ///
  /// - Throws: `.configuration` if it is not there, is too large or malformed: never a silent default, which would put
  ///   items into groups where nobody looks for them.
  package func read() throws(StoreError) -> Entitlements {
    let file = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else {
      throw .configuration(
        "the entitlements \(path) cannot be read (\(String(cString: strerror(errno)))): mend the file, or LATCHKEY_ENTITLEMENTS"
      )
    }
    defer { close(file) }
    let bytes = try FilePaths.readAll(file, maximum: Self.maximumBytes + 1, path: path)
    guard bytes.count <= Self.maximumBytes else {
      throw .configuration("the entitlements \(path) are larger than \(Self.maximumBytes) bytes")
    }
    return try Entitlements(parsing: bytes, named: path)
  }
}

extension Entitlements {
  /// The access groups in the bytes of an `.entitlements` property list (``init(_:named:)``).
  package init(parsing bytes: [UInt8], named name: String) throws(StoreError) {
    let list: PropertyList
    do {
      list = try PropertyList(parsing: bytes)
    } catch {
      throw .configuration("the entitlements \(name) are not a property list: \(error)")
    }
    try self.init(list, named: name)
  }
}
