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
    let receiver = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
    try #require(receiver >= 0)
    defer { close(receiver) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { path in
      path.copyBytes(from: Array(name.utf8))
      if isAbstract { path[0] = 0 }
    }
    let length = socklen_t(2 + name.utf8.count)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(receiver, $0, length) }
    }
    try #require(bound == 0)
    try #require(ServiceNotification(socket: name)).send("READY=1\nSTATUS=fine")
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = recv(receiver, &buffer, buffer.count, CInt(MSG_DONTWAIT))
    #expect(count > 0 && String(decoding: buffer.prefix(max(0, count)), as: UTF8.self) == "READY=1\nSTATUS=fine")
  }

  @Test(
    "Without a socket there is nobody to notify",
    arguments: [nil, "", "/", "vsock:2:3", String(repeating: "/a", count: 80)])
  func none(_ name: String?) { #expect(ServiceNotification(socket: name) == nil) }
}
