internal import NIOCore
internal import NIOHTTP2

/// Keeps a connection of HTTP/2 open when one of its streams is malformed (RFC 9113 8.1.1).
///
/// NIO's handler has reset the stream when it reports such an error, and ends the connection itself when there were too many of them. What
/// is above it closes the connection on each error, and with it the streams of all others behind a proxy that shares it. Errors of the
/// connection, and those that may be one's, go on.
final class MalformedStreams: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame
  typealias InboundOut = HTTP2Frame

  /// Adds it above NIO's handler.
  static func contain(in pipeline: ChannelPipeline.SynchronousOperations) throws {
    try pipeline.addHandler(MalformedStreams(), position: .after(pipeline.handler(type: NIOHTTP2Handler.self)))
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if !Self.isOfOneStream(error) { context.fireErrorCaught(error) }
  }

  /// Whether an error is about the fields, the length or the trailers of one message; NIO reports these for streams alone.
  private static func isOfOneStream(_ error: any Error) -> Bool {
    switch error {
    case is NIOHTTP2Errors.StreamError, is NIOHTTP2Errors.ForbiddenHeaderField,
      is NIOHTTP2Errors.PseudoHeaderAfterRegularHeader, is NIOHTTP2Errors.UnknownPseudoHeader,
      is NIOHTTP2Errors.UnsupportedPseudoHeader, is NIOHTTP2Errors.DuplicatePseudoHeader,
      is NIOHTTP2Errors.MissingPseudoHeader, is NIOHTTP2Errors.InvalidPseudoHeaders,
      is NIOHTTP2Errors.InvalidPseudoHeaderValue, is NIOHTTP2Errors.EmptyPathHeader,
      is NIOHTTP2Errors.InvalidHTTP2HeaderFieldName, is NIOHTTP2Errors.InvalidHTTP2HeaderFieldValue,
      is NIOHTTP2Errors.ContentLengthViolated, is NIOHTTP2Errors.ContentLengthHeadersMismatch,
      is NIOHTTP2Errors.ContentLengthHeaderNegative, is NIOHTTP2Errors.ContentLengthHeaderMalformedValue,
      is NIOHTTP2Errors.TrailersWithoutEndStream:
      true
    default: false
    }
  }
}
