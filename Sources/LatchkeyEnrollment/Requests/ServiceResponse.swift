internal import AsyncHTTPClient
internal import Crypto
internal import Foundation
internal import LatchkeySealedMessages
internal import NIOCore

/// The response of a service: its head, and its content as it comes.
public struct ServiceResponse: Sendable {
  /// The status.
  public let status: Int
  /// The version of the protocol, `HTTP/1.1` or `HTTP/2`.
  public let version: String
  /// The fields, in order.
  public let fields: [(name: String, value: String)]
  /// Whether the enrollment server's key has signed the response to exactly this request. The signature covers the content's digest, so
  /// ``body`` compares at its end.
  public let isVerified: Bool
  /// The content, once.
  public let body: Body

  /// The first value of a field.
  public func field(_ name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// The content of a response, by pieces, as it comes from the connection: unread content is not held.
  ///
  /// Of a verified response, the last piece is followed by an error if the content is not what was signed. Until then, do nothing with it
  /// that cannot be undone.
  public struct Body: AsyncSequence, Sendable {
    /// A piece.
    public typealias Element = [UInt8]

    let source: HTTPClientResponse.Body
    let server: ServerAddress
    /// The signed digest: the value of `Content-Digest`; an empty text for signed content of no bytes, nil if nothing is signed.
    let digest: String?
    let deadline: NIODeadline?

    /// Creates the iterator; there can be one.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// All the content, if it has at most so many bytes.
    ///
    /// - Throws: ``EnrollmentError``: `.cannotInterpret` for more; `.cannotVerify`, `.unreachable`.
    public func collect(upTo limit: Int) async throws -> [UInt8] {
      var all: [UInt8] = []
      for try await piece in self {
        guard piece.count <= limit - all.count else {
          throw EnrollmentError.cannotInterpret("the answer has more than \(limit) bytes")
        }
        all += piece
      }
      return all
    }

    /// Iterates over the pieces.
    public struct AsyncIterator: AsyncIteratorProtocol {
      private var source: HTTPClientResponse.Body.AsyncIterator
      private let body: Body
      private var count: Int64 = 0
      private var sha256 = SHA256()
      private var sha512 = SHA512()
      private let hashes512: Bool

      fileprivate init(_ body: Body) {
        self.body = body
        source = body.source.makeAsyncIterator()
        hashes512 = body.digest?.contains("sha-512") == true
      }

      /// The next piece; nil at the end.
      ///
      /// - Throws: ``EnrollmentError``, `CancellationError`.
      public mutating func next() async throws -> [UInt8]? {
        let buffer: ByteBuffer?
        do {
          buffer = try await source.next()
        } catch {
          try Task.checkCancellation()
          throw EnrollmentError.unreachable("the answer of \(body.server) broke off")
        }
        if let deadline = body.deadline, deadline < .now() {
          throw EnrollmentError.unreachable("no whole answer from \(body.server) in time")
        }
        guard let buffer else {
          try verify()
          return nil
        }
        let bytes = Array(buffer.readableBytesView)
        count += Int64(bytes.count)
        if body.digest != nil {
          sha256.update(data: bytes)
          if hashes512 { sha512.update(data: bytes) }
        }
        return bytes
      }

      private func verify() throws(EnrollmentError) {
        guard let digest = body.digest else { return }
        let (sha256, sha512) = (sha256, sha512)
        do throws(SealedMessageError) {
          guard !digest.isEmpty else {
            if count > 0 { throw .notAuthentic }
            return
          }
          try ContentDigest.verify(
            digest, sha256: { Array(sha256.finalize()) }, sha512: { Array(sha512.finalize()) })
        } catch {
          throw .cannotVerify("the content of the answer is not the signed one")
        }
      }
    }
  }
}
