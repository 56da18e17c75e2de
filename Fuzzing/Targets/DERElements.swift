// modules: LatchkeyByteCoding
// seeds: Tests/LatchkeyPKCS12Tests/Fixtures/pyca Tests/LatchkeyPKCS12Tests/Fixtures/pkits
import LatchkeyByteCoding

/// Reads the input as DER and as BER. What DER accepts, BER must read as the same value; what is rewritten in DER must be
/// DER, and must stay as it is when it is rewritten again. Each value is written again from its parts. Plain bytes read the
/// same as secret ones.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDERElements(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
  let storage = SecretBytes(input)
  let strict = BERReader<BERError>(storage, rules: .der, depth: depth)
  let lenient = BERReader<BERError>(storage, rules: .ber, depth: depth)
  checkRewriting(strict, lenient, input)
  checkElements(strict)
  checkScalars(strict, lenient)
  let plain = BERReader<BERError>(input, rules: .der, depth: depth)
  checkStrings(strict, plain)
  checkPublicKey(plain)
  return 0
}

private let depth = 12

private func checkRewriting(_ strict: BERReader<BERError>, _ lenient: BERReader<BERError>, _ input: [UInt8]) {
  var (strict, lenient) = (strict, lenient)
  let (der, rewritten) = (try? strict.der("a value"), try? lenient.der("a value"))
  if let der {
    guard der == rewritten, input.starts(with: der), strict.remaining == input.count - der.count
    else { fatalError("DER reads differently as BER") }
  }
  guard let rewritten else { return }
  var again = BERReader<BERError>(SecretBytes(rewritten), rules: .ber, depth: depth)
  guard (try? again.der("a value")) == rewritten, again.isEmpty else { fatalError("rewritten BER is not DER") }
}

/// Writes the reader's values at every depth, and compares the bytes.
private func checkElements(_ reader: BERReader<BERError>) {
  var rest = reader
  while !rest.isEmpty {
    let before = rest.bytes()
    guard let element = try? rest.element("a value") else { return }
    var encoder = DEREncoder()
    encoder.item(tag: element.tag, element.content.bytes())
    guard before == encoder.bytes + rest.bytes() else { fatalError("an element is not written as it was read") }
    if element.isConstructed { checkElements(element.content) }
  }
}

private func checkScalars(_ strict: BERReader<BERError>, _ lenient: BERReader<BERError>) {
  var (numbers, identifiers, rest) = (strict, strict, strict)
  let first = try? rest.element("a value")
  if let number = try? numbers.number("a number") {
    var (encoder, other) = (DEREncoder(), lenient)
    encoder.number(number)
    guard strict.bytes() == encoder.bytes + numbers.bytes(), (try? other.number("a number")) == number
    else { fatalError("a number is not written as it was read") }
  }
  if let identifier = try? identifiers.identifier("a type") {
    var encoder = DEREncoder()
    encoder.identifier(identifier)
    guard strict.bytes() == encoder.bytes + identifiers.bytes(), !identifier.description.isEmpty, first != nil
    else { fatalError("an object identifier is not written as it was read") }
  }
}

/// Unsigned numbers and bit strings, read from secret bytes and from plain ones, and written again.
private func checkStrings(_ secret: BERReader<BERError>, _ plain: BERReader<BERError>) {
  var readers = (secret, plain)
  let number = try? readers.0.unsignedInteger("a number").bytes()
  guard number == (try? readers.1.unsignedInteger("a number").bytes()) else { fatalError("two storages differ") }
  if let number {
    var encoder = DEREncoder()
    encoder.unsignedInteger(number)
    guard plain.bytes() == encoder.bytes + readers.1.bytes(), number.first != 0
    else { fatalError("an unsigned number is not written as it was read") }
  }
  readers = (secret, plain)
  let bits = try? readers.0.wholeBitString("bits").bytes()
  guard bits == (try? readers.1.wholeBitString("bits").bytes()) else { fatalError("two storages differ") }
  if let bits {
    var encoder = DEREncoder()
    encoder.bitString(bits)
    guard plain.bytes() == encoder.bytes + readers.1.bytes()
    else { fatalError("a bit string is not written as it was read") }
  }
}

private func checkPublicKey(_ reader: BERReader<BERError>) {
  var rest = reader
  guard var info = try? SubjectPublicKeyInfo(&rest) else { return }
  let (algorithm, parameters) = (info.algorithm.algorithm, info.algorithm.parameters.bytes())
  guard let key = try? info.key(), (try? info.finish()) != nil else { return }
  var encoder = DEREncoder()
  encoder.subjectPublicKeyInfo(algorithm, key: key) { $0.append(parameters) }
  guard reader.bytes() == encoder.bytes + rest.bytes()
  else { fatalError("a public key is not written as it was read") }
}
