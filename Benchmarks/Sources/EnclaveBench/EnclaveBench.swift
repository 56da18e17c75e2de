import Foundation
import Glibc

/// `enclave-bench [--seconds S] [--rounds N] [held|stored|softhsm …]`: signatures by a key of the software engine, through
/// `SecKeyCreateSignature`, alternating with what others do on the same machine at the same time.
///
/// `enclave-bench ours held|stored COUNT` does nothing else, for a profiler: `valgrind --tool=callgrind`, `perf record`.
@main struct EnclaveBench {
  static let all = ["held", "stored", "softhsm"]

  static func main() throws {
    let options = try Options(CommandLine.arguments.dropFirst())
    let folder = URL(filePath: FileManager.default.currentDirectoryPath)
      .appending(path: ".build/enclave-bench-\(getpid())", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(at: folder) }
    // Where this process's keys are; read once, at the first call.
    setenv("LATCHKEY_KEYCHAIN", folder.appending(path: "keychain.db").path(), 1)
    setenv("LATCHKEY_ENCLAVE", "software", 1)
    for name in ["LATCHKEY_ENTITLEMENTS", "LATCHKEY_PRESENCE", "LATCHKEY_PASSCODE_FILE"] { unsetenv(name) }

    let keys = try OurKeys()
    if options.figures.first == "ours" { return try onlyOurs(options.figures.dropFirst(), keys) }
    print("\(try OpenSSLSpeed.version()), \(options.rounds) rounds of \(options.seconds) s a side, CPU time")
    for figure in options.figures.isEmpty ? all : options.figures {
      switch figure {
      case "held":
        try compare(
          "P-256 signature with a held context, against openssl speed ecdsap256", to: ">= 0.9 x", options,
          ours: { try cpuRate(for: $0, keys.signWithHeldContext) }, peer: OpenSSLSpeed.signaturesPerSecond)
      case "stored":
        try compare(
          "the same without a context, the key read from the keychain each time", to: ">= 0.4 x", options,
          ours: { try cpuRate(for: $0, keys.signWithStoredKey) }, peer: OpenSSLSpeed.signaturesPerSecond)
      case "softhsm":
        let token = try SoftHSM(folder: folder)
        try compare(
          "with a held context, against SoftHSM2 through PKCS#11", to: ">= 1.5 x", options,
          ours: { try cpuRate(for: $0, keys.signWithHeldContext) }, peer: { try cpuRate(for: $0, token.sign) })
      default: throw BenchFailure.unknownFigure(figure)
      }
    }
  }
  private static func onlyOurs(_ arguments: ArraySlice<String>, _ keys: OurKeys) throws {
    guard arguments.count == 2, let kind = arguments.first, let count = arguments.last.flatMap(Int.init) else {
      throw BenchFailure.usage
    }
    for _ in 0..<count {
      switch kind {
      case "held": try keys.signWithHeldContext()
      case "stored": try keys.signWithStoredKey()
      default: throw BenchFailure.unknownFigure(kind)
      }
    }
  }
}
