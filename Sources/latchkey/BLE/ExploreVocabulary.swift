import Foundation
import LatchkeyCommandLine
import LatchkeySystem
import Synchronization

/// What can be completed in a line of `ble explore`: commands, devices that were found, attributes that were discovered.
final class ExploreVocabulary: Sendable {
  private struct Words: Sendable {
    var devices: [String] = []
    var attributes: [String] = []
  }

  private let words = Mutex(Words())

  /// Takes the names of the devices; one that does not show as it is cannot be typed either.
  func learn(_ devices: [Advertisement]) {
    let names = devices.compactMap { device -> String? in
      guard let name = device.name, !name.isEmpty else { return device.identifier.uuidString }
      return PrintableText.escaped(name) == name ? name : device.identifier.uuidString
    }
    words.withLock { $0.devices = names }
  }

  /// Takes the attributes of the device that is connected, as numbers, and as names where they have one.
  func learn(_ services: [DiscoveredService]) {
    let all = services.flatMap { service in service.characteristics.map { (service: service.uuid, uuid: $0.uuid) } }
    let counts = Dictionary(all.map { ($0.uuid, 1) }, uniquingKeysWith: +)
    let attributes = all.flatMap { entry -> [String] in
      let name = AttributeNames.name(of: entry.uuid, .characteristic).map(Self.hyphenated)
      guard counts[entry.uuid] ?? 0 > 1 else { return [entry.uuid] + (name.map { [$0] } ?? []) }
      return ["\(entry.service)/\(entry.uuid)"] + (name.map { ["\(entry.service)/\($0)"] } ?? [])
    }
    words.withLock { $0.attributes = attributes }
  }

  /// What may stand for the last word of a line.
  func complete(_ line: String) -> LineEditor.Completion {
    let start = line.drop { $0 == " " }
    guard let space = start.firstIndex(of: " ") else {
      return Self.completion(String(start), ExploreInput.verbs.map { "\($0) " })
    }
    let rest = start[space...].drop { $0 == " " }
    switch start[..<space] {
    case "connect": return Self.completion(String(rest), words.withLock { $0.devices })
    case "read", "subscribe", "unsubscribe": return Self.completion(String(rest), words.withLock { $0.attributes })
    case "write", "command", "send":
      return Self.completion(String(rest), words.withLock { $0.attributes }.map { "\($0) " })
    default: return LineEditor.Completion(word: "", candidates: [])
    }
  }

  private static func completion(_ word: String, _ all: [String]) -> LineEditor.Completion {
    let typed = word.lowercased()
    let fitting = Set(all.filter { $0.lowercased().hasPrefix(typed) }).sorted()
    return LineEditor.Completion(word: word, candidates: fitting)
  }

  private static func hyphenated(_ name: String) -> String {
    name.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
  }
}
