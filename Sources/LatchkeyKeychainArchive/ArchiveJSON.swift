import Foundation
import LatchkeyAgeEncryption
import LatchkeyByteCoding
import LatchkeySecretData

/// Code that the archives' documents share: JSON with a format and a version, in an age file.
enum ArchiveJSON {
  /// The maximum size of a document, in bytes.
  static let maximumSize = 1 << 30

  static func encode(_ document: some Encodable) throws(ArchiveError) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    do {
      return try encoder.encode(document)
    } catch {
      throw .malformed("an attribute has a value that JSON does not know")
    }
  }

  static func decode<Document: Decodable>(
    _ type: Document.Type, _ json: Data, format: String, version: Int
  ) throws(ArchiveError) -> Document {
    guard json.count <= maximumSize else { throw .malformed("it is longer than \(maximumSize) bytes") }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    do {
      let kind = try decoder.decode(Kind.self, from: json)
      guard kind.format == format else { throw ArchiveError.malformed(otherFormat(kind.format, than: format)) }
      guard kind.version <= version else { throw ArchiveError.newerVersion(kind.version) }
      guard kind.version == version else { throw ArchiveError.malformed("there is no version \(kind.version)") }
      return try decoder.decode(type, from: json)
    } catch let error as ArchiveError {
      throw error
    } catch let error as DecodingError {
      throw .malformed(place(of: error))
    } catch {
      throw .malformed("it does not read")
    }
  }

  static func seal(_ json: consuming Data, for lock: AgeLock, random: (Int) -> [UInt8]) throws(ArchiveError) -> [UInt8]
  {
    defer { json.wipe() }
    do throws(AgeError) {
      var encryptor = try AgeEncryptor(for: lock, random: random)
      var file = encryptor.header
      file += encryptor.update(json)
      return file + encryptor.finish()
    } catch {
      throw .age(error)
    }
  }

  static func open(_ file: [UInt8], _ unlock: AgeUnlock) throws(ArchiveError) -> Data {
    do throws(AgeError) {
      return Data(try AgeDecryptor.decrypt(file, unlock))
    } catch {
      throw .age(error)
    }
  }

  private struct Kind: Decodable {
    var format: String
    var version: Int
  }

  /// Users confuse the two kinds of archives, so the error names the other one.
  private static func otherFormat(_ found: String, than format: String) -> String {
    switch found {
    case KeychainBackup.format: "it is a backup: `latchkey keychain restore` takes it"
    case KeychainDocument.format: "it is an export: `latchkey keychain import` takes it"
    default: "its format is not \(format)"
    }
  }

  /// The place of the error, without the value, which may be a secret.
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
