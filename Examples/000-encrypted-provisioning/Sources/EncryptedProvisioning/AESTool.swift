import Foundation

private let IVKEY = "00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F"

/// The document's four functions (2.3), line for line. What they do is not secure: one constant vector, and nothing that tells
/// an altered text.
public enum AESTool {
  /// `aes128EncryptWithContent:key:`: hexadecimal of the ciphertext, 1 to 16 zero bytes longer than the text before it is encrypted.
  ///
  /// - Returns: Nil where the key has fewer than 24 bytes.
  public static func aes128Encrypt(withContent plaintext: String, key: String) -> String? {

    let keyData = convertHexStr(toData: key)
    let keyByte = keyData.map { [UInt8]($0) }

    let ivData = convertHexStr(toData: IVKEY)
    let ivByte = ivData.map { [UInt8]($0) }

    let data = plaintext.data(using: .utf8) ?? Data()
    let dataLength = data.count

    let diff = kCCKeySizeAES128 - (dataLength % kCCKeySizeAES128)
    var newSize = 0

    if diff > 0 {
      newSize = dataLength + diff
    }

    var dataPtr = [UInt8](data)
    for _ in 0..<diff {
      dataPtr.append(0x00)
    }

    let bufferSize = newSize + kCCBlockSizeAES128
    var buffer = [UInt8](repeating: 0, count: bufferSize)

    var numBytesCrypted = 0

    // The document passes 24 whatever the key is, and reads what stands behind a shorter one.
    guard let keyByte, keyByte.count >= kCCKeySizeAES192 else { return nil }
    let cryptStatus = CCCrypt(
      kCCEncrypt,
      kCCAlgorithmAES128,
      0x0000,  //No padding
      keyByte,
      kCCKeySizeAES192,  //由于得到的加密key为24位，故此处需要设置为kCCKeySizeAES192
      ivByte,
      dataPtr,
      dataPtr.count,
      &buffer,
      bufferSize,
      &numBytesCrypted)

    if cryptStatus == kCCSuccess {
      let resultData = Data(buffer.prefix(numBytesCrypted))
      return convertData(toHexStr: resultData)
    }
    return nil
  }

  /// `aes128DencryptWithContent:key:`: the text, with the zero bytes that it was filled with.
  ///
  /// - Returns: Nil where the key has fewer than 24 bytes, the ciphertext is not a multiple of 16, or the result is not UTF-8.
  public static func aes128Dencrypt(withContent ciphertext: String, key: String) -> String? {

    let data1 = convertHexStr(toData: ciphertext)
    // TCLGTMBase64 stringByEncodingData:
    let ciphertext = data1?.base64EncodedString() ?? ""

    let keyData = convertHexStr(toData: key)
    let keyByte = keyData.map { [UInt8]($0) }

    let ivData = convertHexStr(toData: IVKEY)
    let ivByte = ivData.map { [UInt8]($0) }

    // TCLGTMBase64 decodeData:
    let data = Data(base64Encoded: ciphertext) ?? Data()
    let dataLength = data.count
    let bufferSize = dataLength + kCCBlockSizeAES128
    var buffer = [UInt8](repeating: 0, count: bufferSize)

    guard let keyByte, keyByte.count >= kCCKeySizeAES192 else { return nil }
    var numBytesCrypted = 0
    let cryptStatus = CCCrypt(
      kCCDecrypt,
      kCCAlgorithmAES128,
      0x0000,  //No padding
      keyByte,
      kCCKeySizeAES192,  //由于得到的加密key为24位，故此处需要设置为kCCKeySizeAES192
      ivByte,
      [UInt8](data),
      dataLength,
      &buffer,
      bufferSize,
      &numBytesCrypted)
    if cryptStatus == kCCSuccess {
      let resultData = Data(buffer.prefix(numBytesCrypted))
      return String(data: resultData, encoding: .utf8)
    }
    return nil
  }

  /// 十六进制字符串转化为data (`convertHexStrToData:`): spaces left out; the first digit of an odd number stands for a byte alone.
  ///
  /// - Returns: Nil for an empty text. Where two characters are not hexadecimal their byte is 0; the document leaves it unset.
  public static func convertHexStr(toData str: String?) -> Data? {
    guard var str, str.count != 0 else {
      return nil
    }

    str = str.replacingOccurrences(of: " ", with: "")

    var hexData = Data(capacity: 8)
    let digits = Array(str.utf16)
    var range: Range<Int>
    if digits.count % 2 == 0 {
      range = 0..<2
    } else {
      range = 0..<1
    }
    var i = range.lowerBound
    while i < digits.count {
      let hexCharStr = String(decoding: digits[range], as: UTF16.self)
      let scanner = Scanner(string: hexCharStr)

      let anInt = scanner.scanInt(representation: .hexadecimal) ?? 0
      hexData.append(UInt8(truncatingIfNeeded: anInt))

      range = range.upperBound..<min(range.upperBound + 2, digits.count)
      i += 2
    }

    return hexData
  }

  /// data转换为十六进制字符串 (`convertDataToHexStr:`): lower case; an empty text for nil.
  public static func convertData(toHexStr data: Data?) -> String {
    guard let data, data.count != 0 else {
      return ""
    }
    var string = ""

    for dataByte in data {
      let hexStr = String(format: "%x", Int(dataByte) & 0xff)
      if hexStr.count == 2 {
        string.append(hexStr)
      } else {
        string.append("0\(hexStr)")
      }
    }

    return string
  }
}
