import Glibc

/// A serial device, opened for H4: raw, eight bits, one stop bit, RTS and CTS (Core 6.0 Vol 4 Part A 3).
///
/// It is this process's alone, until `release()`. The stream has a descriptor of its own.
final class SerialLine: Sendable {
  private let descriptor: CInt

  /// Opens the device, and forgets what it received before.
  init(_ port: SerialPort) throws(AdapterError) {
    let descriptor = open(port.path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.error(errno, port) }
    do throws(AdapterError) {
      try Self.configure(descriptor, port)
    } catch {
      Glibc.close(descriptor)
      throw error
    }
    self.descriptor = descriptor
  }

  deinit { Glibc.close(descriptor) }

  /// A second descriptor of the open device, for the stream, whose owner closes it; nil if there are too many.
  func makeStreamDescriptor() -> CInt? {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    return copy >= 0 ? copy : nil
  }

  /// Drops what is not sent yet, so that closing does not wait for a device that takes nothing, and lets others open it.
  func release() {
    tcflush(descriptor, TCIOFLUSH)
    _ = ioctl(descriptor, UInt(TIOCNXCL))
    flock(descriptor, LOCK_UN)
  }

  private static func configure(_ descriptor: CInt, _ port: SerialPort) throws(AdapterError) {
    guard isatty(descriptor) == 1 else { throw .notSerial(port.path) }
    // The lock tells programs of the same habit, the mode all others without privileges.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .serialInUse(port.path) }
    _ = ioctl(descriptor, UInt(TIOCEXCL))
    var settings = termios()
    guard tcgetattr(descriptor, &settings) == 0 else { throw .serial(port.path, errno: errno) }
    cfmakeraw(&settings)
    settings.c_cflag &= ~tcflag_t(CSTOPB)
    settings.c_cflag |= tcflag_t(CREAD | CLOCAL) | tcflag_t(CRTSCTS)
    withUnsafeMutableBytes(of: &settings.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
    }
    guard cfsetspeed(&settings, speed_t(port.speed)) == 0 else { throw .serialSpeed(port.path, port.speed) }
    guard tcsetattr(descriptor, TCSANOW, &settings) == 0 else {
      throw errno == EINVAL ? .serialSpeed(port.path, port.speed) : .serial(port.path, errno: errno)
    }
    // It succeeds if anything was set (termios(3)): the speed may be another one.
    var result = termios()
    guard tcgetattr(descriptor, &result) == 0, cfgetospeed(&result) == cfgetospeed(&settings) else {
      throw .serialSpeed(port.path, port.speed)
    }
    tcflush(descriptor, TCIOFLUSH)
  }

  private static func error(_ code: CInt, _ port: SerialPort) -> AdapterError {
    switch code {
    case ENOENT, ENXIO, ENODEV: .noSerialDevice(port.path, others: devices())
    case EACCES, EPERM: .serialAccess(port.path)
    case EBUSY: .serialInUse(port.path)
    case ENOTDIR, EISDIR, ELOOP: .notSerial(port.path)
    default: .serial(port.path, errno: code)
    }
  }

  /// The serial devices of this system that boards and dongles have.
  private static func devices() -> [String] {
    let prefixes = ["ttyACM", "ttyAMA", "ttyUSB"]
    return FolderNames.list("/dev").filter { name in prefixes.contains { name.hasPrefix($0) } }.map { "/dev/" + $0 }
  }
}

/// The names in a folder of the system.
enum FolderNames {
  /// The names, sorted; none if the folder cannot be read.
  static func list(_ path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      names.append(withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    return names.sorted()
  }
}
