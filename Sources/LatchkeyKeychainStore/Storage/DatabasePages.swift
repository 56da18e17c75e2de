/// Reads the rows in a damaged database file page by page (sqlite.org/fileformat2.html), without the tree that links the pages:
/// a bad page loses only its own rows. The content is untrusted: a keychain's rows carry their own authentication.
struct DatabasePages: Sendable {
  /// A value of a record.
  enum Value: Hashable, Sendable {
    case null
    case integer(Int64)
    case bytes([UInt8])
    /// Floating-point numbers and texts, which a keychain's rows never contain.
    case other
  }

  /// One record. A table record has a row number, an index record has none.
  struct Record: Sendable {
    var row: Int64?
    var values: [Value]
  }

  /// The limit of columns, above that of any keychain row.
  private static let maximumColumns = 32
  /// The limit of a payload in bytes, above that of any keychain row.
  private static let maximumPayload = 40 << 20

  /// The smallest page size, in bytes; a smaller file has no page.
  static let smallest = 512

  private let file: [UInt8]
  private let pageSize: Int
  private let usable: Int
  private let count: Int

  /// Reads a whole file. If the first page is damaged, the page size is assumed to be 4096 bytes.
  init(file: [UInt8]) {
    self.file = file
    var size = 4096
    var reserved = 0
    if file.count >= 100, file.starts(with: Array("SQLite format 3\0".utf8)) {
      let stored = Int(file[16]) << 8 | Int(file[17])
      let found = stored == 1 ? 65536 : stored
      if found >= 512, found <= 65536, found & (found - 1) == 0 { size = found }
      if Int(file[20]) <= size - 480 { reserved = Int(file[20]) }
    }
    pageSize = size
    usable = size - reserved
    count = file.count / size
  }

  /// Calls `body` with every record of every table leaf page and of every index page.
  func forEach(_ body: (Record) -> Void) {
    for page in 0..<count {
      let base = page * pageSize
      let header = base + (page == 0 ? 100 : 0)
      let isTable: Bool
      let cellsAt: Int
      switch file[header] {
      case 0x0D: (isTable, cellsAt) = (true, header + 8)
      case 0x0A: (isTable, cellsAt) = (false, header + 8)
      case 0x02: (isTable, cellsAt) = (false, header + 12)
      default: continue
      }
      let cells = Int(file[header + 3]) << 8 | Int(file[header + 4])
      guard cells <= (base + usable - cellsAt) / 2 else { continue }
      for cell in 0..<cells {
        let pointer = cellsAt + 2 * cell
        let offset = Int(file[pointer]) << 8 | Int(file[pointer + 1])
        guard offset >= cellsAt - base, offset < usable else { continue }
        if let record = record(page: page, at: base + offset, isTable, hasChild: file[header] == 0x02) { body(record) }
      }
    }
  }

  private func record(page: Int, at start: Int, _ isTable: Bool, hasChild: Bool) -> Record? {
    let end = page * pageSize + usable
    var place = start + (hasChild ? 4 : 0)
    guard let size = varint(&place, end), size > 0, size <= Self.maximumPayload else { return nil }
    var row: Int64?
    if isTable {
      guard let number = varint(&place, end) else { return nil }
      row = number
    }
    guard let payload = payload(Int(size), at: place, end, isTable) else { return nil }
    guard let values = Self.values(payload) else { return nil }
    return Record(row: row, values: values)
  }

  /// The payload of a cell: the part in the page, then the overflow pages.
  private func payload(_ size: Int, at place: Int, _ end: Int, _ isTable: Bool) -> [UInt8]? {
    let most = isTable ? usable - 35 : (usable - 12) * 64 / 255 - 23
    if size <= most {
      guard place + size <= end else { return nil }
      return Array(file[place..<place + size])
    }
    let least = (usable - 12) * 32 / 255 - 23
    let wanted = least + (size - least) % (usable - 4)
    let local = wanted <= most ? wanted : least
    guard local >= 0, place + local + 4 <= end else { return nil }
    var bytes = Array(file[place..<place + local])
    var next = number(at: place + local)
    // Each page of a chain adds bytes, so a cycle ends.
    while bytes.count < size {
      guard next > 1, next <= count else { return nil }
      let base = (next - 1) * pageSize
      let part = min(usable - 4, size - bytes.count)
      bytes.append(contentsOf: file[base + 4..<base + 4 + part])
      next = number(at: base)
    }
    return bytes
  }

  private func number(at place: Int) -> Int {
    Int(file[place]) << 24 | Int(file[place + 1]) << 16 | Int(file[place + 2]) << 8 | Int(file[place + 3])
  }

  private func varint(_ place: inout Int, _ end: Int) -> Int64? { Self.varint(file, &place, end) }

  private static func varint(_ bytes: [UInt8], _ place: inout Int, _ end: Int) -> Int64? {
    var value: UInt64 = 0
    for index in 0..<9 {
      guard place < end, place < bytes.count else { return nil }
      let byte = bytes[place]
      place += 1
      if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
      value = value << 7 | UInt64(byte & 0x7F)
      if byte & 0x80 == 0 { return Int64(bitPattern: value) }
    }
    return nil
  }

  /// The values of a record (2.1, "Record Format").
  private static func values(_ payload: [UInt8]) -> [Value]? {
    var place = 0
    guard let headerSize = varint(payload, &place, payload.count), headerSize >= 1, headerSize <= payload.count else {
      return nil
    }
    var types: [Int64] = []
    while place < Int(headerSize) {
      guard types.count < maximumColumns, let type = varint(payload, &place, Int(headerSize)), type >= 0 else {
        return nil
      }
      types.append(type)
    }
    guard place == Int(headerSize) else { return nil }
    var values: [Value] = []
    for type in types {
      switch type {
      case 0: values.append(.null)
      case 1...6:
        let size = type <= 4 ? Int(type) : (type == 5 ? 6 : 8)
        guard place + size <= payload.count else { return nil }
        var number: Int64 = payload[place] & 0x80 != 0 ? -1 : 0
        for byte in payload[place..<place + size] { number = number << 8 | Int64(byte) }
        values.append(.integer(number))
        place += size
      case 7:
        guard place + 8 <= payload.count else { return nil }
        values.append(.other)
        place += 8
      case 8, 9: values.append(.integer(type - 8))
      case 10, 11: return nil
      default:
        let size = (type - 12) / 2
        guard size <= Int64(payload.count - place) else { return nil }
        values.append(type % 2 == 0 ? .bytes(Array(payload[place..<place + Int(size)])) : .other)
        place += Int(size)
      }
    }
    return values
  }
}
