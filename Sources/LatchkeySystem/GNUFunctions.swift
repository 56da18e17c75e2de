package import Glibc

/// Functions of the C library that the importer leaves out: they are GNU extensions. A C target for them would lie below
/// `Security`, which must have none.
///
/// Each is nil where the C library lacks it: `pipe2` and `eventfd` exist since glibc 2.9, `addCloseFrom` since 2.34, `openProcess`
/// since 2.36.
package enum GNUFunctions {
  /// pipe2(2): a pipe whose ends have their flags from the start. Flags that are set afterwards come too late for a program that
  /// another thread starts in between.
  static let pipe2: (@convention(c) (UnsafeMutablePointer<CInt>, CInt) -> CInt)? = find("pipe2")

  /// eventfd(2).
  static let eventfd: (@convention(c) (CUnsignedInt, CInt) -> CInt)? = find("eventfd")

  /// posix_spawn_file_actions_addclosefrom_np(3).
  package static let addCloseFrom: (@convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, CInt) -> CInt)? =
    find("posix_spawn_file_actions_addclosefrom_np")

  /// pidfd_open(2): a descriptor that is readable once the process has ended. It is closed in programs that this process starts.
  package static let openProcess: (@convention(c) (pid_t, CUnsignedInt) -> CInt)? = find("pidfd_open")

  private static func find<Function>(_ name: String) -> Function? {
    dlsym(nil, name).map { unsafeBitCast($0, to: Function.self) }
  }
}
