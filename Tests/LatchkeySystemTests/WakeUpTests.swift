import Glibc
import LatchkeySystem
import Testing

@Suite struct WakeUpTests {
  private func isReadable(_ wakeUp: WakeUp) -> Bool {
    var waited = pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waited, 1, 0) == 1
  }

  @Test("A wake-up is readable from its first signal on, however often it is signaled") func signal() throws {
    let wakeUp = try WakeUp()
    #expect(!isReadable(wakeUp))
    for _ in 0..<3 { wakeUp.signal() }
    #expect(isReadable(wakeUp))
    WakeUp.signal(wakeUp.descriptor)
    #expect(isReadable(wakeUp))
  }

  @Test("Programs that are started do not inherit its descriptor") func closedOnExec() throws {
    let wakeUp = try WakeUp()
    #expect(fcntl(wakeUp.descriptor, F_GETFD) & FD_CLOEXEC != 0)
  }

  @Test("A signal leaves the error number of the code that it interrupts") func errorNumber() {
    errno = EINTR
    WakeUp.signal(-1)
    let code = errno
    #expect(code == EINTR)
  }
}
