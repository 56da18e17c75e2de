internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypesHTTP1

/// The pipeline of HTTP/1.1 connections, above TLS or without it.
struct HTTP1Connections: Sendable {
  let answering: RequestAnswering
  let limits: ServerLimits
  var direct: DirectAnswers?

  /// Adds the parser and what handles its requests; they run until the connection closes.
  func setUp(_ channel: any Channel, _ connection: ClientConnection) throws {
    var decoding = NIOHTTPDecoderLimitConfiguration()
    decoding.maxHeaderFieldSize = limits.headerSize
    decoding.maxHeaderListSize = limits.headerSize
    decoding.maxHeaderFieldCount = limits.headerCount
    let pipeline = channel.pipeline.syncOperations
    // The gate keeps pipelined requests apart, refusals are ours, and the fields of HTTPTypes are valid by construction.
    try pipeline.configureHTTPServerPipeline(
      withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
      withEncoderConfiguration: .init(), withDecoderLimitConfiguration: decoding)
    try pipeline.addHandlers([
      HTTP1ToHTTPServerCodec(secure: false), RequestArrivals(direct: direct), RequestTasks(answering, on: connection),
    ])
  }
}
