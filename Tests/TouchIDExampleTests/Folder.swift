import Foundation

/// A folder that is gone with the object: what the double of fprintd keeps its bus's settings in.
final class Folder {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent("fprintd-\(UUID().uuidString)").path

  init() throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file and tells where it is.
  func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    let path = "\(path)/\(name)"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }
}
