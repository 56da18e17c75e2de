import Dispatch
public import Foundation
import LatchkeyBluetoothHost

/// A protocol/service multiplexer: the number under which a peripheral publishes a channel (Core 6.0 Vol 3 Part A
/// 4.22).
public typealias CBL2CAPPSM = UInt16

/// The UUID of a characteristic whose value is the PSM of a channel, a little-endian `UInt16`.
public let CBUUIDL2CAPPSMCharacteristicString = "ABDD3056-28FA-441D-A470-55A75A52553A"

/// A connection-oriented L2CAP channel to a peer: a stream of bytes in each direction.
///
/// The app retains it as long as it uses the streams, opens them, and schedules them in a run loop if it wants their
/// events. The channel is closed when both streams are, or when this object is released. A peer sends no more than some
/// 32 KB that were not read; a write takes as many bytes as there is room for.
open class CBL2CAPChannel: NSObject {
  private let remote: CBPeer
  private let connection: ChannelConnection
  private let input: ChannelInputStream
  private let output: ChannelOutputStream

  init(peer: CBPeer, connection: ChannelConnection) {
    remote = peer
    self.connection = connection
    input = ChannelInputStream(connection)
    output = ChannelOutputStream(connection)
    super.init()
    connection.delivered()
  }

  deinit {
    // Any lock may be held here.
    DispatchQueue.global().async { [connection] in connection.close() }
  }

  /// The device at the other end.
  open var peer: CBPeer! { remote }

  /// The bytes that the peer sends.
  open var inputStream: InputStream! { input }

  /// The bytes to send to the peer.
  open var outputStream: OutputStream! { output }

  /// The number under which the channel was published.
  open var psm: CBL2CAPPSM { connection.description.psm }
}
