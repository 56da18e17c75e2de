import LatchkeyKeychainModel

/// The records of a keychain that can be read in the pages of its file, before they are validated.
struct Carving {
  /// The rows of the table `item`, by their numbers; more than one where pages hold several.
  private(set) var items: [Int64: [ItemRow]] = [:]
  /// The marks of rows in the index of UUIDs; more than one where pages hold several.
  private(set) var marks: [Int64: [[UInt8]]] = [:]
  private(set) var headers: [HeaderTable.Clear] = []
  private(set) var slots: [Int64: KeyRecord] = [:]
  /// The contents of the copies of the key records; more than one where pages hold several.
  private(set) var copies: [[KeyRecord]] = []
  /// The entries of the audit log, as they are stored.
  private(set) var audit: [Int64: [DatabasePages.Value]] = [:]

  /// All key records.
  var records: [KeyRecord] { slots.values + copies.flatMap { $0 } }

  init(_ pages: DatabasePages) {
    pages.forEach { record in
      switch (record.row, record.values.count) {
      case (let id?, 15): addItem(id, record.values)
      case (let id?, 5): addHeaderOrEntry(id, record.values)
      case (let id?, 2): addSlot(id, record.values)
      case (nil, 3): addMark(record.values)
      default: break
      }
    }
  }

  private mutating func addItem(_ id: Int64, _ values: [DatabasePages.Value]) {
    guard let uuid = values[1].bytes, let itemClass = values[2].integer, let synchronizable = values[3].integer,
      let groupTag = values[4].bytes, let accessibility = values[5].integer, let uniqueTag = values[6].bytes,
      let version = values[7].integer, let epoch = values[8].integer, let mark = values[10].bytes,
      let tags = values[11].bytes, let meta = values[12].bytes, uuid.count == 16, groupTag.count == AttributeTag.size,
      uniqueTag.count == AttributeTag.size, mark.count == 32, values[9] != .other, values[13] != .other,
      values[14] != .other
    else { return }
    items[id, default: []].append(
      ItemRow(
        id: id, uuid: uuid, itemClass: itemClass, synchronizable: synchronizable, groupTag: groupTag,
        accessibility: accessibility, uniqueTag: uniqueTag, version: version, epoch: epoch,
        accessControl: values[9].bytes,
        tags: tags, meta: meta, wrappedKey: values[13].bytes, data: values[14].bytes, mark: mark))
  }

  private mutating func addHeaderOrEntry(_ id: Int64, _ values: [DatabasePages.Value]) {
    if id == HeaderTable.copyID, let uuid = values[2].bytes, uuid.isEmpty, let encoded = values[4].bytes {
      let records = HeaderTable.decodeCopy(encoded)
      if !records.isEmpty { copies.append(records) }
    } else if let format = values[1].integer, let uuid = values[2].bytes, uuid.count == 16,
      let counter = values[3].integer,
      let sealed = values[4].bytes
    {
      headers.append(HeaderTable.Clear(format: format, uuid: uuid, counter: counter, sealed: sealed))
    } else if values[1].integer != nil, values[2].integer != nil, values[3] == .null || values[3].bytes != nil,
      values[4].bytes?.count == 32
    {
      audit[id] = values
    }
  }

  private mutating func addSlot(_ id: Int64, _ values: [DatabasePages.Value]) {
    guard slots.count < KeyRecord.maximumCount, let bytes = values[1].bytes, let record = try? KeyRecord(encoded: bytes)
    else { return }
    slots[id] = record
  }

  private mutating func addMark(_ values: [DatabasePages.Value]) {
    guard let uuid = values[0].bytes, uuid.count == 16, let mark = values[1].bytes, mark.count == 32,
      let id = values[2].integer
    else { return }
    marks[id, default: []].append(mark)
  }
}

extension DatabasePages.Value {
  var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
  var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
}
