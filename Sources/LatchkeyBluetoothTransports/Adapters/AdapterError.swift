import Glibc

/// Why an adapter of this system cannot be opened. Each description contains what to do next.
enum AdapterError: Error, Equatable {
  // MARK: Serial devices

  /// There is no such device; the others are listed.
  case noSerialDevice(String, others: [String])
  /// The user may not open the device.
  case serialAccess(String)
  /// Another program has the device.
  case serialInUse(String)
  /// The path is not a serial device.
  case notSerial(String)
  /// The device does not run at this speed.
  case serialSpeed(String, Int)
  /// Any other error of a serial device.
  case serial(String, errno: CInt)

  /// The process has no descriptor left, or the system none.
  case noDescriptor(errno: CInt)

  // MARK: Adapters of Bluetooth

  /// The system has no Bluetooth, or a container does not show it.
  case noBluetooth
  /// There is no such adapter; the others are listed, by number.
  case noAdapter(UInt16, others: [UInt16])
  /// The program may not use an adapter for itself; its path, if it is known.
  case adapterAccess(UInt16, program: String?)
  /// The system uses the adapter, or another program has it for itself.
  case adapterInUse(UInt16)
  /// Another program has the adapter for itself.
  case adapterTaken(UInt16)
  /// The adapter is blocked, by a switch or by software.
  case adapterBlocked(UInt16)
  /// Any other error of an adapter.
  case adapter(UInt16, errno: CInt)
}

extension AdapterError: CustomStringConvertible {
  var description: String {
    switch self {
    case .noSerialDevice(let path, let others):
      "there is no \(path); "
        + (others.isEmpty
          ? "this system has no serial device: plug it in, and look what 'dmesg' calls it"
          : "this system has \(others.joined(separator: ", "))")
    case .serialAccess(let path):
      "\(path) is not open to this user: join the group that 'ls -l \(path)' shows, most often by "
        + "'sudo usermod -aG dialout \"$USER\"' and a new login"
    case .serialInUse(let path): "\(path) is used by another program: 'fuser -v \(path)' shows which; end it"
    case .notSerial(let path): "\(path) is no serial device: give the path of a tty, such as /dev/ttyACM0"
    case .serialSpeed(let path, let speed): "\(path) does not run at \(speed) bits per second: give another speed"
    case .serial(let path, let code): "\(path): \(String(cString: strerror(code)))"
    case .noDescriptor(let code): "no file can be opened: \(String(cString: strerror(code))); see 'ulimit -n'"
    case .noBluetooth:
      "this system has no Bluetooth: load its modules by 'sudo modprobe -a bluetooth btusb'; a container shows none "
        + "unless it is on the host's network ('--network host')"
    case .noAdapter(let number, let others):
      "there is no hci\(number); "
        + (others.isEmpty
          ? "this system has no Bluetooth adapter: plug one in, and look at 'dmesg' if 'ls /sys/class/bluetooth' shows none"
          : "this system has " + others.map { "hci\($0)" }.joined(separator: ", "))
    case .adapterAccess(let number, let program):
      "hci\(number) is not open to this user: 'sudo setcap cap_net_admin+ep \(program ?? "PROGRAM")' gives the program the "
        + "right, or 'latchkey controller --hci hci-socket:\(number)', which has it, lends the adapter"
    case .adapterInUse(let number):
      "hci\(number) is up, and in use: bluetoothd lets it go by 'sudo btmgmt --index \(number) power off', or, if it comes back, "
        + "by 'sudo systemctl stop bluetooth'; another program that has it for itself must end"
    case .adapterTaken(let number):
      "another program has hci\(number) for itself: end it; 'latchkey controller' lends an adapter to one after the other"
    case .adapterBlocked(let number): "hci\(number) is blocked: 'rfkill unblock bluetooth' frees it, or its switch"
    case .adapter(let number, let code): "hci\(number) does not open: \(String(cString: strerror(code)))"
    }
  }
}
