import Foundation
import LatchkeyAgeEncryption
import LatchkeyKeychainArchive
import LatchkeyKeychainModel
import Testing

/// The document's JSON: one text for one document, and what is refused.
@Suite struct KeychainDocumentTests {
  private let text = #"""
    {"created":"2027-01-15T08:00:00Z","excluded":[{"accessGroup":"g","class":"keys","name":"build","reason":"enclaveKey"}],"format":"latchkey-keychain","items":[{"accessGroup":"g","accessible":"ak","attributes":{"acct":{"text":"alice"},"gena":{"bytes":"AP8="},"port":{"number":443},"cdat":{"date":1.5}},"class":"genp","data":"c2VjcmV0","synchronizable":false}],"version":1}
    """#

  @Test("The text of a document is the one of the format") func theTextOfADocument() throws {
    let document = try KeychainDocument(json: Data(text.utf8))
    #expect(document.created == Date(timeIntervalSince1970: 1_800_000_000))
    #expect(document.excluded == [.init(itemClass: "keys", accessGroup: "g", name: "build", reason: .enclaveKey)])
    let item = try #require(document.items.first)
    #expect(item.data == Data("secret".utf8))
    #expect(
      item.attributes == [
        "acct": .text("alice"), "gena": .bytes(Data([0, 255])), "port": .number(443), "cdat": .date(1.5),
      ])
    #expect(try KeychainDocument(json: document.json()) == document)
  }

  @Test(
    "Documents that break the format are refused",
    arguments: [
      (#""version":1"#, #""version":2"#), (#""version":1"#, #""version":0"#),
      (#""latchkey-keychain""#, #""other""#), (#""acct":{"text":"alice"}"#, #""acct":{}"#),
      (#""acct":{"text":"alice"}"#, #""acct":{"text":"a","number":1}"#),
      (#""acct":{"text":"alice"}"#, #""acct":"alice""#),
      (#""bytes":"AP8=""#, #""bytes":"A""#), (#""number":443"#, #""number":4.5"#), (#""class":"genp","#, ""),
      (#""reason":"enclaveKey""#, #""reason":"else""#), ("c2VjcmV0", "c2VjcmV0*"),
      ("2027-01-15T08:00:00Z", "yesterday"),
    ])
  func whatIsRefused(_ part: String, _ instead: String) {
    let altered = text.replacing(part, with: instead)
    #expect(altered != text)
    #expect(throws: ArchiveError.self) { try KeychainDocument(json: Data(altered.utf8)) }
  }

  @Test("A newer version is named") func aNewerVersionIsNamed() {
    let newer = text.replacing(#""version":1"#, with: #""version":7"#)
    #expect(throws: ArchiveError.newerVersion(7)) { try KeychainDocument(json: Data(newer.utf8)) }
  }

  @Test("Errors repeat no value") func errorsRepeatNoValue() throws {
    let altered = text.replacing(#""data":"c2VjcmV0""#, with: #""data":["c2VjcmV0"]"#)
    var message = ""
    do throws(ArchiveError) {
      _ = try KeychainDocument(json: Data(altered.utf8))
    } catch {
      message = "\(error)"
    }
    #expect(message == "the document in the archive is malformed: a value has another type at items.0.data")
  }

  @Test("Every cut of the text is refused") func everyCutOfTheTextIsRefused() {
    let bytes = Data(text.utf8)
    for count in 0..<bytes.count {
      #expect(throws: ArchiveError.self) { try KeychainDocument(json: bytes.prefix(count)) }
    }
  }
}
