/// Bytes as a QR code: a square of dark and light modules that a camera reads (ISO/IEC 18004:2015, byte mode, versions 1 to 20).
///
/// It can be read back from its modules: it is as secret as its bytes.
package struct QRCode: Sendable {
  /// How many bytes the greatest of these codes has.
  package static let greatestLength = QRCodeForm(version: QRCodeForm.versions.upperBound, correction: .low).byteCapacity

  /// Version and error correction.
  package let form: QRCodeForm
  /// The mask, 0 to 7 (7.8.2).
  package let mask: Int
  private let square: QRCodeSquare

  /// The number of modules in a row, without the quiet zone.
  package var size: Int { form.size }

  /// The smallest code with error correction level M; with level L if the bytes fit in none of level M.
  ///
  /// - Parameter mask: the mask; nil takes the one with the least penalty.
  /// - Throws: `QRCodeError` if there are more than `greatestLength` bytes.
  package init(_ bytes: [UInt8], mask: Int? = nil) throws(QRCodeError) {
    let forms = [QRCodeForm.Correction.medium, .low].lazy.flatMap { correction in
      QRCodeForm.versions.lazy.map { QRCodeForm(version: $0, correction: correction) }
    }
    guard let form = forms.first(where: { $0.byteCapacity >= bytes.count }) else { throw .tooLong(bytes.count) }
    self.init(bytes, form: form, mask: mask)
  }

  /// The code of this form, in which the bytes fit.
  package init(_ bytes: [UInt8], form: QRCodeForm, mask: Int? = nil) {
    precondition(bytes.count <= form.byteCapacity)
    var blank = QRCodeSquare(form: form)
    blank.place(QRCodeCodewords.sequence(of: bytes, form: form))
    let candidates = (mask.map { [$0] } ?? Array(0..<8)).map { mask in
      var square = blank
      square.apply(mask: mask)
      square.drawFormat(mask: mask)
      return (mask: mask, square: square)
    }
    // The first of equal penalties, as most encoders do.
    let best =
      candidates.count == 1
      ? 0 : candidates.indices.min { candidates[$0].square.penalty < candidates[$1].square.penalty }
    self.form = form
    self.mask = candidates[best ?? 0].mask
    square = candidates[best ?? 0].square
  }

  /// Whether the module is dark; those outside of the square are light.
  package func isDark(row: Int, column: Int) -> Bool {
    (0..<size).contains(row) && (0..<size).contains(column) && square.isDark(row: row, column: column)
  }
}

/// Why there is no QR code.
package enum QRCodeError: Error, Equatable {
  /// So many bytes fit in none of these codes.
  case tooLong(Int)
}

extension QRCodeError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .tooLong(let count): "\(count) bytes do not fit in a QR code: it has \(QRCode.greatestLength) at most"
    }
  }
}
