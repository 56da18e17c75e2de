import Foundation

/// Writes a file as a whole: a reader, and a crash, find the old bytes or the new ones.
enum FileReplacement {
  /// Replaces the file, which keeps its permissions.
  static func write(_ bytes: [UInt8], to url: URL) throws {
    let permissions = try? FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions]
    guard SourceFolder.kind(of: url) == .typeRegular else { throw Refusal(text: "it is no file any more") }
    do {
      try Data(bytes).write(to: url, options: .atomic)
      if let permissions {
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: url.path)
      }
    } catch {
      throw Refusal(text: "it cannot be written")
    }
  }
}
