import Dispatch
import Foundation
import Glibc
import LatchkeySystem
import Testing

/// Messages to the service manager.
@Suite struct ServiceNotificationTests {
  @Test("A message reaches the socket, by a path and by an abstract name", arguments: [false, true])
  func arrives(_ isAbstract: Bool) throws {
    let name =
      isAbstract ? "@latchkey-\(UUID().uuidString)" : NSTemporaryDirectory() + "/n-\(UUID().uuidString.prefix(8))"
    defer { if !isAbstract { unlink(name) } }
    let receiver = try bound(name)
    defer { close(receiver) }
    try #require(ServiceNotification(socket: name)).send("READY=1\nSTATUS=fine")
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = recv(receiver, &buffer, buffer.count, CInt(MSG_DONTWAIT))
    #expect(count > 0 && String(decoding: buffer.prefix(max(0, count)), as: UTF8.self) == "READY=1\nSTATUS=fine")
  }

  @Test("A manager that reads nothing holds nobody up for long", .timeLimit(.minutes(1))) func fullQueue() throws {
    let name = "@latchkey-\(UUID().uuidString)"
    let receiver = try bound(name)
    defer { close(receiver) }
    // Another sender fills the queue, so that one message waits, and not as many as a queue holds.
    let sender = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
    try #require(sender >= 0)
    defer { close(sender) }
    try withAddress(of: name) { address, length in
      try #require(connect(sender, address, length) == 0)
      while Glibc.send(sender, "x", 1, CInt(MSG_NOSIGNAL)) == 1 {}
      try #require(errno == EAGAIN)
    }
    let notification = try #require(ServiceNotification(socket: name))
    let sent = DispatchSemaphore(value: 0)
    // On a thread of its own, so that a message that waits for ever fails this test, and does not hold up the others.
    Thread.detachNewThread {
      notification.send("READY=1")
      sent.signal()
    }
    #expect(sent.wait(timeout: .now() + 30) == .success, "the message waits for its reader still")
  }

  private func bound(_ name: String) throws -> CInt {
    let receiver = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
    try #require(receiver >= 0)
    try withAddress(of: name) { try #require(bind(receiver, $0, $1) == 0) }
    return receiver
  }

  private func withAddress<R>(
    of name: String, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> R
  ) rethrows -> R {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { path in
      path.copyBytes(from: Array(name.utf8))
      if name.hasPrefix("@") { path[0] = 0 }
    }
    let length = socklen_t(2 + name.utf8.count)
    return try withUnsafePointer(to: &address) {
      try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { try body($0, length) }
    }
  }

  @Test(
    "Without a socket there is nobody to notify",
    arguments: [nil, "", "/", "vsock:2:3", String(repeating: "/a", count: 80)])
  func none(_ name: String?) { #expect(ServiceNotification(socket: name) == nil) }
}
