import Foundation
import LatchkeyAgeEncryption
import LatchkeyCommandLine

/// The keys and certificates of a state folder in one age file (`*.pem`): JSON of names and texts, encrypted by a passphrase.
struct KeyArchive: Codable {
  private static let format = "latchkey-server-keys 1"
  /// The limit of the file, and of its content.
  private static let largest = 1 << 20

  private let format: String
  private let files: [String: String]

  /// The keys of a folder.
  ///
  /// - Throws: if there are none.
  init(of folder: StateFolder) throws {
    var files: [String: String] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) where Self.isName(name) {
      if let bytes = try folder.read(name) { files[name] = String(decoding: bytes, as: UTF8.self) }
    }
    guard !files.isEmpty else { throw CommandFailure(.itemNotFound, "there are no keys in \(folder.url.path)") }
    (format, self.files) = (Self.format, files)
  }

  /// Reads an archive.
  init(file: String, passphrase: String) throws {
    let bytes = try ServerFile.read(file)
    let clear: [UInt8]
    do throws(AgeError) { clear = try AgeDecryptor.decrypt(bytes, .passphrase(Array(passphrase.utf8))) } catch {
      throw CommandFailure(.badData, "\(file) cannot be decrypted: \(error)")
    }
    guard clear.count <= Self.largest, let archive = try? JSONDecoder().decode(KeyArchive.self, from: Data(clear)),
      archive.format == Self.format, archive.files.keys.allSatisfy(Self.isName)
    else { throw CommandFailure(.badData, "\(file) is no archive of a server's keys: backup --with-keys makes one") }
    self = archive
  }

  /// A plain file name of a key or certificate, so that an archive writes nowhere else.
  private static func isName(_ name: String) -> Bool {
    name.hasSuffix(".pem") && name.utf8.count <= 64
      && name.dropLast(4).utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D
      } && name.utf8.count > 4
  }

  func write(to path: String, passphrase: String) throws {
    let file = try NewSecretFile(path)
    do {
      let clear = Array(try JSONEncoder().encode(self))
      let sealed = try AgeEncryptor.encrypt(clear, for: .passphrase(Array(passphrase.utf8))) { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      }
      try file.write(sealed)
    } catch {
      file.remove()
      throw error
    }
  }

  /// - Throws: if the folder has another file of one of the names. The same one is what an interrupted restore left.
  func checkAbsence(in folder: StateFolder) throws(CommandFailure) {
    for (name, text) in files.sorted(by: { $0.key < $1.key }) {
      guard FileManager.default.fileExists(atPath: folder.path(name)) else { continue }
      if try folder.read(name) == Array(text.utf8) { continue }
      throw CommandFailure(
        .badData, code: "exists", "there is \(folder.path(name)) already: move it away, or restore without --keys")
    }
  }

  func write(to folder: StateFolder) throws { for (name, text) in files { try folder.write(name, text) } }
}
