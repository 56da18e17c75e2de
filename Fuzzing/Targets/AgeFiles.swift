// modules: LatchkeyByteCoding LatchkeyAgeEncryption
import LatchkeyAgeEncryption

/// Reads the input as an age file, as armor, and as the text of a key; what is read is written again. Files made here that the
/// input alters must not open with other content.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAgeFiles(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let choice = input.first else { return 0 }
  let rest = Array(input.dropFirst())
  switch choice % 4 {
  case 0:
    _ = try? AgeDecryptor.decrypt(rest, .identities([identity]))
  case 1:
    guard let file = try? AgeArmor.decode(rest) else { break }
    guard (try? AgeArmor.decode(Array(AgeArmor.encode(file).utf8))) == file else {
      fatalError("the file reads differently")
    }
  case 2:
    let text = String(decoding: rest, as: UTF8.self)
    if let recipient = try? AgeRecipient(text), recipient.text != text.lowercased() {
      fatalError("the recipient reads differently")
    }
    if let own = try? AgeIdentity(text), own.text != text.uppercased() { fatalError("the identity reads differently") }
  default:
    // A file that opens, and its header altered by the input.
    let clear: [UInt8] = [1, 2, 3]
    var next = UInt8(0)
    guard
      var file = try? AgeEncryptor.encrypt(
        clear, for: .recipients([identity.recipient]),
        random: { count in
          (0..<count).map { _ in
            next &+= 1
            return next
          }
        })
    else { fatalError("the file cannot be made") }
    let whole = file
    for pair in stride(from: 0, to: rest.count - 2, by: 3) {
      let place = (Int(rest[pair]) << 8 | Int(rest[pair + 1])) % file.count
      file[place] = rest[pair + 2]
    }
    if let found = try? AgeDecryptor.decrypt(file, .identities([identity])), found != clear || file != whole {
      fatalError("an altered file opened")
    }
  }
  return 0
}

private let identity: AgeIdentity = {
  guard let identity = try? AgeIdentity("AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX")
  else {
    fatalError("the identity of the specification does not read")
  }
  return identity
}()
