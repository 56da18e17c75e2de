internal import LatchkeyByteCoding

/// The ends of all audit chains at one moment, as a text to keep where the database's owner cannot reach: who has it notices a
/// chain that was taken away, cut, or written anew.
///
///     latchkey-audit-heads 1
///     time 1764000000
///     head 42 0f…9a server 1
///     signature MEUC…
///
/// A head is a chain's last number, its hash and its name. The last line is there in a signed one: base64 of an ECDSA signature
/// (P-256, SHA-256, X9.62) by the key of the server's answers over all lines before it.
public struct AuditCheckpoint: Sendable, Hashable {
  /// When, seconds since 1970.
  public let time: Int64
  /// The ends of the chains, by name.
  public let heads: [AuditHead]
  /// X9.62; nil for one that is not signed.
  public let signature: [UInt8]?

  /// The ends of chains at a moment.
  public init(time: Int64, heads: [AuditHead]) {
    self.init(time: time, heads: heads, signature: nil)
  }

  private init(time: Int64, heads: [AuditHead], signature: [UInt8]?) {
    self.time = time
    self.heads = heads
    self.signature = signature
  }

  /// The same, signed.
  ///
  /// - Parameter sign: signs a message with ECDSA P-256 and SHA-256; gives X9.62 DER.
  public func signed<Failure: Error>(
    by sign: (_ message: [UInt8]) throws(Failure) -> [UInt8]
  ) throws(Failure) -> AuditCheckpoint {
    AuditCheckpoint(time: time, heads: heads, signature: try sign(Array(unsigned.utf8)))
  }

  /// Whether the signature is that of this key: X9.63, 65 bytes. False for one that is not signed.
  public func isSigned(by publicKey: [UInt8]) -> Bool {
    guard let signature else { return false }
    return AuditSignature.isValid(signature, of: Array(unsigned.utf8), by: publicKey)
  }

  // MARK: As text

  private static let title = "latchkey-audit-heads 1"
  private static let most = 1 << 20

  /// The lines; the last one ends, too.
  public var text: String {
    guard let signature else { return unsigned }
    return unsigned + "signature \(Base64.encode(signature))\n"
  }

  private var unsigned: String {
    let lines = heads.map { "head \($0.sequence) \(Hexadecimal.encode($0.hash)) \($0.node)\n" }
    return "\(Self.title)\ntime \(time)\n" + lines.joined()
  }

  /// Reads what ``text`` gives, and nothing else.
  ///
  /// - Throws: `.misuse` for any other text.
  public init(text bytes: [UInt8]) throws(EnrollmentStoreError) {
    guard bytes.count <= Self.most, let text = String(validating: bytes, as: UTF8.self) else { throw Self.unreadable }
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    guard lines.popFirst() == Self.title[...], lines.popLast() == "", let first = lines.popFirst(),
      first.hasPrefix("time "), let time = Int64(first.dropFirst(5))
    else { throw Self.unreadable }
    var signature: [UInt8]?
    if let last = lines.last, last.hasPrefix("signature ") {
      guard let bytes = try? Base64.decode(String(last.dropFirst(10))) else { throw Self.unreadable }
      signature = bytes
      lines.removeLast()
    }
    var heads: [AuditHead] = []
    for line in lines {
      let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
      guard words.count == 4, words[0] == "head", let sequence = Int64(words[1]), sequence > 0, !words[3].isEmpty,
        let hash = try? Hexadecimal.decode(words[2]), hash.count == 32
      else { throw Self.unreadable }
      heads.append(AuditHead(node: String(words[3]), sequence: sequence, hash: hash))
    }
    self.init(time: time, heads: heads, signature: signature)
    // One text for one value: digits with a sign or a zero before them are another's.
    guard self.text.utf8.elementsEqual(bytes) else { throw Self.unreadable }
  }

  private static let unreadable = EnrollmentStoreError.misuse(
    "this is no file of audit heads: latchkey-server audit head prints one")

  // MARK: Against a store

  /// The chains of `store` that do not go on from where they were: gone, cut, or written anew.
  ///
  /// - Parameter signers: whose prunings count.
  /// - Throws: ``EnrollmentStoreError`` if the store cannot be read.
  public func faults(
    in store: any EnrollmentStore, signers: AuditSigners = .keys([])
  ) async throws -> [AuditChain.Report] {
    var reports: [AuditChain.Report] = []
    for head in heads {
      if let fault = try await AuditChain.fault(at: head, in: store, signers) {
        reports.append(AuditChain.Report(node: head.node, entries: 0, fault: fault))
      }
    }
    return reports
  }
}

/// What one chain says of the others: entries that name the ends of all chains, so that one that is taken away is missed.
package enum AuditMention {
  package static let event = "audit.heads"
  private static let prefix = "head "

  /// Entries that name these ends: one, but where names are in the same characters, which are one key here.
  package static func entries(of heads: [AuditHead], at time: Int64) -> [AuditEntry] {
    var fields: [[String: String]] = []
    for head in heads {
      let (name, end) = (prefix + head.node, "\(head.sequence) \(Hexadecimal.encode(head.hash))")
      if let place = fields.firstIndex(where: { $0[name] == nil }) {
        fields[place][name] = end
      } else {
        fields.append([name: end])
      }
    }
    return fields.map { AuditEntry(event: event, time: time, fields: $0) }
  }

  /// Whether a chain has got entries since these ends that do more than name ends.
  package static func hasNews(
    _ head: AuditHead, since ends: [AuditHead], in store: any StoreTransaction
  ) throws -> Bool {
    let noted = ends.first { $0.node.utf8.elementsEqual(head.node.utf8) }?.sequence ?? 0
    var last = max(noted, try store.auditPruning(node: head.node)?.head.sequence ?? 0)
    while last < head.sequence {
      let entries = try store.auditEntries(node: head.node, after: last, limit: 100)
      // A chain that does not reach its head is for `audit verify`; what it is said to have is noted.
      guard let end = entries.last, entries.allSatisfy({ $0.entry.event == event }) else { return true }
      last = end.sequence
    }
    return false
  }

  /// The ends that an entry names; none for any other entry.
  static func heads(in entry: AuditEntry) -> [AuditHead] {
    guard entry.event == event else { return [] }
    return entry.fields.compactMap { name, value in
      let words = value.split(separator: " ")
      guard name.hasPrefix(prefix), words.count == 2, let sequence = Int64(words[0]), sequence > 0,
        let hash = try? Hexadecimal.decode(words[1])
      else { return nil }
      return AuditHead(node: String(name.dropFirst(prefix.count)), sequence: sequence, hash: hash)
    }
  }
}
