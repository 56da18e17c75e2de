import Glibc
import Synchronization
import Testing

@testable import LatchkeyBluetoothTransports

/// A socket that keeps the borders of packets, as an adapter's user channel does; the test has its other end.
@Suite(.timeLimit(.minutes(5)))
struct PacketSocketTransportTests {
  private let complete: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]
  private let command: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
  private let recorder = TransportRecorder()
  private let transport: PacketSocketTransport
  private let far: CInt

  init() throws {
    var ends: [CInt] = [-1, -1]
    try #require(socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
    let near = ends[0]
    _ = fcntl(near, F_SETFL, O_NONBLOCK)
    far = ends[1]
    // A packet that does not come fails the test, and does not block it.
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(far, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    transport = PacketSocketTransport(name: "hci7") { near }
  }

  private func receive() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 70_000)
    let count = recv(far, &bytes, bytes.count, 0)
    return Array(bytes.prefix(max(0, count)))
  }

  private func send(_ packet: [UInt8]) {
    #expect(Glibc.send(far, packet, packet.count, CInt(MSG_NOSIGNAL)) == packet.count)
  }

  @Test("Each packet is one write and one read") func borders() async {
    transport.open(recorder)
    #expect(await recorder.next() == .opened)
    let data = [0x02, 0x01, 0x20, 0x00, 0x04] + [UInt8](repeating: 9, count: 1024)
    for packet in [command, data, command] { transport.send(packet) }
    #expect(receive() == command && receive() == data && receive() == command)
    for _ in 0..<40 {
      send(complete)
      send(data)
    }
    for _ in 0..<40 {
      #expect(await recorder.next() == .received(complete))
      #expect(await recorder.next() == .received(data))
    }
    transport.close()
    #expect(receive() == [])
    close(far)
  }

  @Test("Packets that the adapter does not take wait in order") func waiting() async {
    transport.open(recorder)
    #expect(await recorder.next() == .opened)
    let packets = (0..<500).map { [0x02, 0x01, 0x20, 0xE8, 0x03] + [UInt8](repeating: UInt8($0 % 251), count: 1000) }
    for packet in packets { transport.send(packet) }
    for packet in packets { #expect(receive() == packet) }
    transport.send(command)
    #expect(receive() == command)
    transport.close()
    close(far)
  }

  @Test("An adapter that takes nothing is given up") func stuck() async {
    transport.open(recorder)
    #expect(await recorder.next() == .opened)
    let packet = [0x02, 0x01, 0x20, 0xE8, 0x03] + [UInt8](repeating: 7, count: 1000)
    for _ in 0..<3000 { transport.send(packet) }
    #expect(await recorder.next() == .closed("hci7: it takes no more packets"))
    transport.send(command)
    close(far)
  }

  @Test("The other end's close is reported once, and a late packet dropped") func closedByPeer() async {
    transport.open(recorder)
    #expect(await recorder.next() == .opened)
    send(complete)
    close(far)
    #expect(await recorder.next() == .received(complete))
    #expect(await recorder.next() == .closed("hci7: the other end closed it"))
    transport.send(command)
    transport.close()
    recorder.transportClosed("a mark")
    #expect(await recorder.next() == .closed("a mark"))
  }

  @Test("A write that fails says that the adapter is gone") func writeFails() async {
    transport.open(recorder)
    #expect(await recorder.next() == .opened)
    shutdown(far, CInt(SHUT_RD))
    transport.send(command)
    #expect(await recorder.next() == .closed("hci7: the adapter is gone"))
    close(far)
  }

  @Test("Nothing is heard of a transport that was closed, before it was opened or after") func closedFirst() async {
    transport.close()
    transport.open(recorder)
    recorder.transportClosed("a mark")
    #expect(await recorder.next() == .closed("a mark"))
    close(far)
  }

  @Test(
    "What an adapter's error says, and what to do next",
    arguments: [
      (EAFNOSUPPORT, "modprobe"), (EAFNOSUPPORT, "--network host"), (EPROTONOSUPPORT, "modprobe"),
      (ENODEV, "there is no hci3"), (EPERM, "sudo setcap cap_net_admin+ep "), (EPERM, "latchkey controller"),
      (EACCES, "setcap"), (EBUSY, "sudo btmgmt --index 3 power off"), (EBUSY, "bluetoothd"),
      (EUSERS, "another program has hci3"), (132, "rfkill unblock bluetooth"), (ETIMEDOUT, "Connection timed out"),
    ] as [(CInt, String)])
  func errors(code: CInt, hint: String) {
    #expect(HCISocket.error(code, 3).description.contains(hint))
    close(far)
  }

  @Test("Adapters and serial devices that are there are named") func others() {
    #expect(AdapterError.noAdapter(3, others: [0, 1]).description == "there is no hci3; this system has hci0, hci1")
    #expect(AdapterError.noAdapter(3, others: []).description.contains("has no Bluetooth adapter"))
    #expect(
      AdapterError.noSerialDevice("/dev/x", others: ["/dev/ttyACM0"]).description
        == "there is no /dev/x; this system has /dev/ttyACM0")
    close(far)
  }

  @Test("An adapter that is not there is sought again, and the reason says what to do") func noAdapter() async {
    let transport = ReconnectingTransport.toController(.hciSocket(0xFFFE))
    transport.open(recorder)
    guard case .closed(let reason?) = await recorder.next() else {
      Issue.record("not closed")
      return
    }
    // As the system is: without Bluetooth, without the right, or without that adapter.
    let hints = ["modprobe", "setcap", "there is no hci65534"]
    #expect(hints.contains { reason.contains($0) } && reason.hasSuffix("; it is sought again"))
    transport.close()
    close(far)
  }
}
