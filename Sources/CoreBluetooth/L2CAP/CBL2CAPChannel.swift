public import Foundation

/// A protocol/service multiplexer: the number under which a peripheral publishes a channel (Core 6.0 Vol 3 Part A
/// 4.22).
public typealias CBL2CAPPSM = UInt16

/// The UUID of a characteristic whose value is the PSM of a channel, a little-endian `UInt16`.
public let CBUUIDL2CAPPSMCharacteristicString = "ABDD3056-28FA-441D-A470-55A75A52553A"

/// A connection-oriented L2CAP channel to a peer: a stream of bytes in each direction.
open class CBL2CAPChannel: NSObject {
  private let remote: CBPeer
  private let input: InputStream
  private let output: OutputStream
  private let number: CBL2CAPPSM

  init(peer: CBPeer, inputStream: InputStream, outputStream: OutputStream, psm: CBL2CAPPSM) {
    remote = peer
    input = inputStream
    output = outputStream
    number = psm
    super.init()
  }

  /// The device at the other end.
  open var peer: CBPeer! { remote }

  /// The bytes that the peer sends.
  open var inputStream: InputStream! { input }

  /// The bytes to send to the peer.
  open var outputStream: OutputStream! { output }

  /// The number under which the channel was published.
  open var psm: CBL2CAPPSM { number }
}
