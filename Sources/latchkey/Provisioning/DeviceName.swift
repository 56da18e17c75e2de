import ArgumentParser

/// The name of a device that is found by it.
enum DeviceName {
  /// What one advertising payload of 31 bytes holds behind a structure's two (Core 6.0 Vol 3 Part C 11). A longer name
  /// is advertised shortened, and who looks for the whole name would look in vain.
  private static let lengths = 1...29

  /// - Throws: what is wrong with `name`, if it cannot be advertised whole.
  static func check(_ name: String) throws(ValidationError) {
    guard !lengths.contains(name.utf8.count) else { return }
    throw ValidationError("--name has \(name.utf8.count) bytes of UTF-8, not 1 to 29: no more can be advertised")
  }
}
