import LatchkeySecretData
import LatchkeySystem

#if TPM
  import Crypto
  import Glibc
  import LatchkeyByteCoding
  import LatchkeyEnclaveKeys
  import LatchkeyEnclaveTPM
  import LatchkeyKeychainModel

  /// A root key that a TPM has sealed, in a file of mode 0600, beside the authorization value of a counter in the TPM.
  ///
  ///     "LKT1" ‖ handle of the counter in the TPM (4 bytes, most significant first) ‖ TPMRootSealer's blob of
  ///     root key (32) ‖ authorization value (32)
  ///
  /// An altered handle is useless: no counter there accepts the authorization value.
  struct RootKeyTPM: RootKeyHolder {
    /// The file's path.
    let path: String
    private let registers: Set<Int>
    private let device: TPMDevice

    private static let magic = Array("LKT1".utf8)
    private static let maximum = 4096

    /// The file at `path`, or with the database's name and the extension `tpm`.
    init(path: String?, databasePath: String, registers: Set<Int>, tcti: String?) throws(StoreError) {
      guard registers.allSatisfy((0..<24).contains) else {
        throw .configuration("platform configuration registers have numbers from 0 to 23")
      }
      self.path = path ?? Self.place(of: databasePath)
      self.registers = registers
      device = TPMDevice(tcti: tcti ?? TPMDevice.defaultTCTI)
    }

    /// The default path for the database at `databasePath`.
    static func place(of databasePath: String) -> String {
      let folder = FilePaths.folder(of: databasePath)
      let name = databasePath.split(separator: "/").last.map(String.init) ?? "keychain"
      let stem = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
      return "\(folder)/\(stem.isEmpty ? name : stem).tpm"
    }

    func open(at path: String) throws(StoreError) -> OpenedRoot {
      defer { device.disconnect() }
      var file = try Opened(path, device)
      defer { file.wipe() }
      var key = file.key
      guard let root = RootKey(consuming: &key) else { throw .rootKeyUnavailable("\(path) holds no root key") }
      let counter = TPMCounter(device: device, handle: file.handle, authorization: file.authorization)
      return (root, LeavingCounter(counter: counter, device: device))
    }

    func openOrCreate() throws(StoreError) -> OpenedRoot {
      if try OwnedFile(path: path, what: "sealed root key").read(maximum: Self.maximum + 1) == nil { try create() }
      return try open(at: path)
    }

    /// Reuses the counter and the registers to which the key is sealed.
    func contents(holding key: RootKey) throws(StoreError) -> [UInt8] {
      defer { device.disconnect() }
      var file = try Opened(path, device)
      defer { file.wipe() }
      var secret = key.key.exposedBytes + file.authorization
      defer { secret.wipe() }
      let sealer = TPMRootSealer(device: device, registers: try TPMRootSealer.registers(of: file.sealed))
      return Self.encoded(file.handle, try sealer.seal(secret, authorization: nil))
    }

    private static func encoded(_ handle: UInt32, _ sealed: [UInt8]) -> [UInt8] {
      var writer = ByteWriter()
      writer.append(magic)
      writer.uint32BigEndian(handle)
      writer.append(sealed)
      return writer.bytes
    }

    /// A file after the TPM has opened it.
    private struct Opened {
      let handle: UInt32
      let sealed: [UInt8]
      var key: [UInt8]
      var authorization: [UInt8]

      init(_ path: String, _ device: TPMDevice) throws(StoreError) {
        guard let bytes = try OwnedFile(path: path, what: "sealed root key").read(maximum: maximum + 1) else {
          throw .rootKeyUnavailable(
            "there is no sealed root key at \(path): put the file back, or say where it is; without it the keychain cannot be "
              + "opened")
        }
        guard bytes.count <= maximum, bytes.starts(with: magic), bytes.count > 8 else {
          throw .rootKeyUnavailable("\(path) is no root key that a TPM has sealed: put the right one back")
        }
        handle = bytes[4..<8].reduce(0) { $0 << 8 | UInt32($1) }
        sealed = Array(bytes[8...])
        var secret = try TPMRootSealer(device: device).unseal(sealed, authorization: nil)
        defer { secret.wipe() }
        guard secret.count == 2 * RootKey.byteCount else {
          throw .rootKeyUnavailable("\(path) holds something else than a root key: put the right one back")
        }
        key = Array(secret.prefix(RootKey.byteCount))
        authorization = Array(secret.suffix(RootKey.byteCount))
      }

      mutating func wipe() {
        key.wipe()
        authorization.wipe()
      }
    }

    private func create() throws(StoreError) {
      defer { device.disconnect() }
      var secret = RootKey().key.exposedBytes + SymmetricKey(size: .bits256).exposedBytes
      defer { secret.wipe() }
      let sealed = try TPMRootSealer(device: device, registers: registers).seal(secret, authorization: nil)
      let counter = try TPMCounter.create(on: device, authorization: Array(secret.suffix(RootKey.byteCount)))
      do throws(StoreError) {
        let draft = "\(path).\(getpid()).\(UInt64.random(in: 0 ... .max))"
        try OwnedFile.write(Self.encoded(counter.handle, sealed), toNew: draft, for: path)
        defer { unlink(draft) }
        guard try OwnedFile.place(draft, at: path) else {
          try counter.delete()
          return
        }
        try OwnedFile.syncFolder(of: path)
      } catch {
        try? counter.delete()
        throw error
      }
    }
  }

  /// A counter that is flushed from the TPM after each use, so that other programs may load theirs without a resource manager.
  private final class LeavingCounter: HardwareCounter {
    private let counter: TPMCounter
    private let device: TPMDevice

    init(counter: TPMCounter, device: TPMDevice) {
      self.counter = counter
      self.device = device
    }

    func value() throws(StoreError) -> UInt64 {
      defer { device.disconnect() }
      return try counter.value()
    }

    func increment() throws(StoreError) -> UInt64 {
      defer { device.disconnect() }
      return try counter.increment()
    }
  }
#endif
