import CBenchPKCS11
import Foundation
import Glibc

/// SoftHSM2 with a token in a folder of its own, and a key in a session's memory.
final class SoftHSM {
  private static let libraries = [
    "/usr/lib/softhsm/libsofthsm2.so", "/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so",
    "/usr/lib/aarch64-linux-gnu/softhsm/libsofthsm2.so", "/usr/lib64/softhsm/libsofthsm.so",
  ]
  private let token: OpaquePointer
  private let digest: [UInt8]
  private var signature = [UInt8](repeating: 0, count: 64)

  init(folder: URL) throws {
    let tokens = folder.appending(path: "tokens", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: tokens, withIntermediateDirectories: true)
    let settings = folder.appending(path: "softhsm2.conf")
    try Data("directories.tokendir = \(tokens.path())\nlog.level = ERROR\n".utf8).write(to: settings)
    setenv("SOFTHSM2_CONF", settings.path(), 1)
    guard let library = Self.libraries.first(where: { FileManager.default.fileExists(atPath: $0) }) else {
      throw BenchFailure.peerRefused("there is no libsofthsm2.so: install softhsm2")
    }
    var failure: UnsafePointer<CChar>?
    guard let token = bench_token_new(library, &failure) else {
      throw BenchFailure.peerRefused("SoftHSM2 failed at: \(failure.map { String(cString: $0) } ?? "?")")
    }
    self.token = token
    digest = (0..<32).map { UInt8($0) }
  }

  deinit { bench_token_free(token) }

  func sign() throws {
    guard bench_token_sign(token, digest, &signature) == 1 else { throw BenchFailure.peerRefused("C_Sign failed") }
  }
}
