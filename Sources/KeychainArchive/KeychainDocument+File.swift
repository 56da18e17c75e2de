public import AgeEncryption
public import Foundation

extension KeychainDocument {
  /// The document as JSON: sorted members, no line breaks. It holds the secrets in the clear; overwrite it after use.
  public func json() throws(ArchiveError) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    do {
      return try encoder.encode(self)
    } catch {
      throw .malformed("an attribute has a value that JSON does not know")
    }
  }

  /// Reads ``json()``. Members that this version does not know are passed over.
  ///
  /// - Throws: ``ArchiveError/malformed(_:)``, ``ArchiveError/newerVersion(_:)``.
  public init(json: Data) throws(ArchiveError) {
    guard json.count <= Self.maximumSize else { throw .malformed("it is longer than \(Self.maximumSize) bytes") }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    do {
      let kind = try decoder.decode(Kind.self, from: json)
      guard kind.format == Self.format else { throw ArchiveError.malformed("its format is not \(Self.format)") }
      guard kind.version <= Self.version else { throw ArchiveError.newerVersion(kind.version) }
      guard kind.version == Self.version else { throw ArchiveError.malformed("there is no version \(kind.version)") }
      self = try decoder.decode(KeychainDocument.self, from: json)
    } catch let error as ArchiveError {
      throw error
    } catch let error as DecodingError {
      throw .malformed(Self.place(of: error))
    } catch {
      throw .malformed("it does not read")
    }
  }

  /// The document as an age file.
  ///
  /// - Parameter random: Gives as many bytes as it is asked for, from the system's generator.
  /// - Throws: ``ArchiveError/age(_:)``.
  public func sealed(for lock: AgeLock, random: (Int) -> [UInt8]) throws(ArchiveError) -> [UInt8] {
    var clear = try json()
    defer { clear.resetBytes(in: clear.startIndex..<clear.endIndex) }
    do throws(AgeError) {
      var encryptor = try AgeEncryptor(for: lock, random: random)
      var file = encryptor.header
      file += encryptor.update(clear)
      return file + encryptor.finish()
    } catch {
      throw .age(error)
    }
  }

  /// Opens ``sealed(for:random:)``, armored or not.
  ///
  /// - Throws: ``ArchiveError/age(_:)``, ``ArchiveError/malformed(_:)``, ``ArchiveError/newerVersion(_:)``.
  public init(opening file: [UInt8], _ unlock: AgeUnlock) throws(ArchiveError) {
    var clear: Data
    do throws(AgeError) {
      clear = Data(try AgeDecryptor.decrypt(file, unlock))
    } catch {
      throw .age(error)
    }
    defer { clear.resetBytes(in: clear.startIndex..<clear.endIndex) }
    try self.init(json: clear)
  }

  private struct Kind: Decodable {
    var format: String
    var version: Int
  }

  /// Where it is wrong, without the value that is: that may be a secret.
  private static func place(of error: DecodingError) -> String {
    let (context, what): (DecodingError.Context, String) =
      switch error {
      case .keyNotFound(let key, let context): (context, "\(key.stringValue) is missing")
      case .typeMismatch(_, let context): (context, "a value has another type")
      case .valueNotFound(_, let context): (context, "a value is missing")
      case .dataCorrupted(let context): (context, "a value does not read")
      @unknown default: (.init(codingPath: [], debugDescription: ""), "it does not read")
      }
    let path = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    return path.isEmpty ? what : "\(what) at \(path)"
  }
}
