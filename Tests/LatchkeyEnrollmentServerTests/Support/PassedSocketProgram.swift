import LatchkeyTestSupport

/// Starts programs as a service manager does that opens sockets for them: Python opens the sockets, and becomes the program.
enum PassedSocketProgram {
  static let python = "/usr/bin/python3"

  /// The words behind `python3` that start a program with sockets.
  ///
  /// - Parameters:
  ///   - kinds: what the descriptors are from 3 on: tcp, unbound, udp, unix, connected or file.
  ///   - names: `LISTEN_FDNAMES`; nil for none.
  ///   - count: `LISTEN_FDS`; nil for the number of sockets.
  ///   - process: `LISTEN_PID`; nil for the right one.
  static func words(
    _ kinds: [String], names: String?, count: String? = nil, process: String? = nil, _ program: [String]
  ) -> [String] {
    let all = kinds.joined(separator: ",")
    return ["-c", script, all, names ?? "-", count ?? "\(kinds.count)", process ?? "-"] + program
  }

  private static let script = """
    import fcntl, os, socket, sys
    kinds, names, count, process = sys.argv[1:5]
    program = sys.argv[5:]
    def make(kind):
        if kind == 'file': return os.open('/dev/null', os.O_RDWR)
        if kind == 'udp': return socket.socket(socket.AF_INET, socket.SOCK_DGRAM).detach()
        if kind == 'unix':
            one = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            one.bind('')
            one.listen(1)
            return one.detach()
        one = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if kind == 'unbound': return one.detach()
        one.bind(('127.0.0.1', 0))
        one.listen(16)
        if kind == 'tcp': return one.detach()
        other = socket.create_connection(one.getsockname())
        other.set_inheritable(True)
        return other.detach()
    made = [fcntl.fcntl(make(kind), fcntl.F_DUPFD, 64) for kind in kinds.split(',') if kind]
    os.closerange(3, 64)
    for index, one in enumerate(made): os.dup2(one, 3 + index, inheritable=True)
    os.closerange(64, 256)
    environment = dict(os.environ)
    environment['LISTEN_FDS'] = count
    if process != 'none': environment['LISTEN_PID'] = str(os.getpid()) if process == '-' else process
    if names != '-': environment['LISTEN_FDNAMES'] = names
    os.execve(program[0], program, environment)
    """
}
