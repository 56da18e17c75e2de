import Glibc

/// The user channel of a Bluetooth adapter (Linux, `net/bluetooth/hci_sock.c`): the process has the adapter for itself, and
/// each read and each write is one HCI packet, with its H4 indicator. It needs CAP_NET_ADMIN, an adapter that is down, and the
/// system's first network namespace.
enum HCISocket {
  // Linux's <net/bluetooth/bluetooth.h> and <net/bluetooth/hci_sock.h>; Glibc has them not.
  private static let bluetoothFamily: CInt = 31
  private static let hciProtocol: CInt = 1
  private static let userChannel: UInt16 = 1
  /// ERFKILL of <asm-generic/errno.h>.
  private static let blocked: CInt = 132

  /// Opens the adapter `hciN`, and switches it on. Returns a descriptor that does not block.
  static func open(_ number: UInt16) throws(AdapterError) -> CInt {
    let type = CInt(SOCK_RAW.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(bluetoothFamily, type, hciProtocol)
    guard descriptor >= 0 else { throw error(errno, number) }
    // struct sockaddr_hci: family, device, channel.
    let address = [UInt16(bluetoothFamily), number, userChannel]
    let status = address.withUnsafeBytes { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { pointer in
        bind(descriptor, pointer.baseAddress, socklen_t(bytes.count))
      }
    }
    guard status == 0 else {
      let code = errno
      close(descriptor)
      throw error(code, number)
    }
    return descriptor
  }

  static func error(_ code: CInt, _ number: UInt16) -> AdapterError {
    switch code {
    case EAFNOSUPPORT, EPROTONOSUPPORT: .noBluetooth
    case ENODEV: .noAdapter(number, others: adapters())
    case EPERM, EACCES: .adapterAccess(number, program: program())
    case EBUSY: .adapterInUse(number)
    case EUSERS: .adapterTaken(number)
    case blocked: .adapterBlocked(number)
    default: .adapter(number, errno: code)
    }
  }

  /// The numbers of this system's adapters.
  private static func adapters() -> [UInt16] {
    // Links of an adapter are there, too, as "hci0:64".
    FolderNames.list("/sys/class/bluetooth").compactMap { $0.hasPrefix("hci") ? UInt16($0.dropFirst(3)) : nil }.sorted()
  }

  /// The path of this program.
  private static func program() -> String? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = bytes.withUnsafeMutableBytes { buffer in
      buffer.baseAddress.map { readlink("/proc/self/exe", $0, buffer.count) } ?? 0
    }
    return count > 0 && count < bytes.count ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
  }
}
