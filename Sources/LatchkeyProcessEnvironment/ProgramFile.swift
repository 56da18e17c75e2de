import Glibc

/// The file that this process runs.
package enum ProgramFile {
  /// Its path, as the kernel has it (`/proc/self/exe`, proc(5)), whatever name it was started by; nil where the kernel does not tell.
  ///
  /// A file that was removed or replaced since is named as it was: what an update puts in its place counts as this program.
  package static let path: String? = {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = bytes.withUnsafeMutableBytes { buffer in
      buffer.baseAddress.map { readlink("/proc/self/exe", $0, buffer.count) } ?? -1
    }
    guard count > 0, count < bytes.count, bytes[0] == UInt8(ascii: "/") else { return nil }
    return named(by: String(decoding: bytes.prefix(count), as: UTF8.self)) { access($0, F_OK) == 0 }
  }()

  /// The folder that it is in, without a slash at its end but for the root's.
  package static var folder: String? {
    guard let path, let slash = path.lastIndex(of: "/") else { return nil }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Where programs that come with this one are looked for: its folder, then those of `PATH`.
  package static var foldersOfSiblings: [String] { [folder].compactMap(\.self) + Environment.programFolders }

  /// The path in the kernel's `link`, which ends with a mark where the file is gone.
  package static func named(by link: String, exists: (String) -> Bool) -> String {
    guard link.hasSuffix(removed), !exists(link) else { return link }
    return String(link.dropLast(removed.count))
  }

  private static let removed = " (deleted)"
}
