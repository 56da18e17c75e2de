import LatchkeyCommandLine
import LatchkeyTestSupport
import Testing

/// QR codes as text and as images.
@Suite("QR codes that are shown") struct QRCodeOutputTests {
  private static let secret = #"{"ver":"v2","name":"PROV_0123AB","code":"0123456789abcdef","transport":"ble"}"#

  /// The modules that lines of half blocks draw.
  private static func drawn(_ lines: [String]) throws -> [[Bool]] {
    try lines.flatMap { line in
      let halves = try line.map { block in
        try #require(
          ([" ": (false, false), "\u{2580}": (true, false), "\u{2584}": (false, true), "\u{2588}": (true, true)]
            as [Character: (Bool, Bool)])[block])
      }
      return [halves.map(\.0), halves.map(\.1)]
    }
  }

  @Test("With colors, each line sets black on white and resets it, and blocks are dark modules") func colored() throws {
    let code = try QRCode(Array(Self.secret.utf8))
    let lines = code.lines(hasColors: true)
    let (start, end) = ("\u{1B}[38;5;16;48;5;231m", "\u{1B}[0m")
    #expect(lines.count == (code.size + 9) / 2)
    #expect(lines.allSatisfy { $0.hasPrefix(start) && $0.hasSuffix(end) })
    let modules = try Self.drawn(lines.map { String($0.dropFirst(start.count).dropLast(end.count)) })
    for row in modules.indices {
      #expect(modules[row].count == code.size + 8)
      for column in modules[row].indices {
        #expect(modules[row][column] == code.isDark(row: row - 4, column: column - 4))
      }
    }
  }

  @Test("Without colors, blocks are light modules, the quiet zone among them") func plain() throws {
    let code = try QRCode(Array(Self.secret.utf8))
    let lines = code.lines(hasColors: false)
    #expect(lines.first == String(repeating: "\u{2588}", count: code.size + 8))
    let modules = try Self.drawn(lines)
    for row in modules.indices {
      for column in modules[row].indices {
        #expect(modules[row][column] != code.isDark(row: row - 4, column: column - 4))
      }
    }
  }

  @Test("The image has the chunks of a PNG file, and the pixels of the code") func image() throws {
    let code = try QRCode(Array("latchkey".utf8))
    let png = code.png(scale: 1)
    // 29 pixels wide and high, one bit gray, no filter method, not interlaced; the checksum by zlib's crc32.
    #expect(
      png.prefix(33) == [
        0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 29, 0, 0, 0, 29,
        1, 0, 0, 0, 0, 0x7E, 0xE8, 0x5A, 0xA2,
      ])
    #expect(png.suffix(12) == [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82])
    // Length and type of IDAT, the zlib header, one stored block of 29 rows of five bytes.
    #expect(
      png[33..<48] == [0, 0, 0, 156, 0x49, 0x44, 0x41, 0x54, 0x78, 0x01, 0x01, 145, 0, 0x6E, 0xFF])
    let rows = png[48..<48 + 145]
    for row in 0..<29 {
      let line = Array(rows.dropFirst(row * 5).prefix(5))
      #expect(line[0] == 0)
      for column in 0..<29 {
        let isWhite = line[1 + column / 8] << (column % 8) & 0x80 != 0
        #expect(isWhite != code.isDark(row: row - 4, column: column - 4))
      }
    }
  }

  @Test("Another program reads the image, small and large", .needs("zbarimg"), arguments: [1, 77, 300, 858])
  func read(count: Int) async throws {
    let text = String(String(repeating: Self.secret, count: 12).prefix(count))
    let folder = try Folder()
    let file = try folder.write("code.png", try QRCode(Array(text.utf8)).png())
    let run = try await ProgramRun.finished("/usr/bin/zbarimg", ["--nodbus", "--quiet", "--raw", "--oneshot", file])
    #expect(run.output == text)
    #expect(run.status == 0, "\(run.errors)")
  }
}
