import Glibc
import LatchkeyKeychainModel

/// A system's library that is looked for when it is needed: who has it not still runs everything else, and building this
/// package needs no headers of it.
///
/// It is never unloaded: PAM's modules and threads outlive the call.
struct DynamicLibrary: Sendable {
  /// Its file's name, "libpam.so.0".
  let name: String
  /// Where to get it from, for a machine that lacks it.
  let package: String
  private let handle: UInt

  /// Loads the library of this name.
  ///
  /// - Throws: `.biometryNotAvailable` with the package's name.
  init(_ name: String, package: String) throws(PresenceError) {
    guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
      throw .biometryNotAvailable("\(name) is not on this system: install \(package)")
    }
    self.name = name
    self.package = package
    self.handle = UInt(bitPattern: handle)
  }

  /// The C library, for what the importer leaves out of it.
  static var c: DynamicLibrary {
    get throws(PresenceError) { try DynamicLibrary("libc.so.6", package: "glibc (2.34 or newer)") }
  }

  /// The function of this name. `type` is its type in C, of pointers and numbers.
  ///
  /// - Throws: `.biometryNotAvailable` if this version of the library has none.
  func function<Function>(_ symbol: String, _ type: Function.Type) throws(PresenceError) -> Function {
    guard MemoryLayout<Function>.size == MemoryLayout<UnsafeMutableRawPointer>.size,
      let address = dlsym(UnsafeMutableRawPointer(bitPattern: handle), symbol)
    else {
      throw .biometryNotAvailable("\(name) has no \(symbol): install a newer \(package)")
    }
    return unsafeBitCast(address, to: type)
  }
}
