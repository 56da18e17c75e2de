import Glibc
import LatchkeyKeychainModel

/// A system library that is loaded when it is needed: a machine without it still runs everything else, and building this
/// package does not need its headers.
///
/// It is never unloaded, because PAM's modules and threads outlive the call.
struct DynamicLibrary: Sendable {
  /// The library's file name, such as "libpam.so.0".
  let name: String
  /// The system package that provides the library.
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

  /// The function of this name. `type` is its type in C, of pointers and numbers.
  ///
  /// - Throws: `.biometryNotAvailable` if this version of the library lacks it.
  func function<Function>(_ symbol: String, _ type: Function.Type) throws(PresenceError) -> Function {
    guard MemoryLayout<Function>.size == MemoryLayout<UnsafeMutableRawPointer>.size,
      let address = dlsym(UnsafeMutableRawPointer(bitPattern: handle), symbol)
    else {
      throw .biometryNotAvailable("\(name) has no \(symbol): install a newer \(package)")
    }
    return unsafeBitCast(address, to: type)
  }
}
