import Foundation
import LatchkeySealedMessages
import Testing

@Suite("The signature base")
struct SignatureBaseTests {
  /// The value of one component of a request, or what stands in its way.
  private func value(
    _ component: CoveredComponent, target: String = "https://www.example.com/path?param=value",
    fields: HTTPFields = HTTPFields(), method: String = "POST"
  ) throws -> String {
    let request = HTTPRequestMessage(method: method, targetURI: target, fields: fields)
    let base = try SignatureBase.bytes(
      SignatureInput([component]), over: .request(request),
      kinds: StructuredField.kinds.merging(["example-dict": .dictionary]) { $1 })
    let lines = String(decoding: base, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    try #require(lines.count == 2)
    #expect(lines[1] == "\"@signature-params\": (\(component.identifier))")
    let prefix = component.identifier + ": "
    try #require(lines[0].hasPrefix(prefix))
    return String(lines[0].dropFirst(prefix.count))
  }

  @Test("fields are trimmed, unfolded and joined (2.1)")
  func fields() throws {
    let fields = HTTPFields([
      ("Host", "www.example.com"), ("X-OWS-Header", "  Leading and trailing whitespace.  \t"),
      ("X-Obs-Fold-Header", "Obsolete\n    line folding."), ("Cache-Control", "max-age=60"),
      ("X-Empty-Header", " "), ("cache-control", "   must-revalidate"),
      ("Example-Dict", " a=1,    b=2;x=1;y=2,   c=(a   b   c)"), ("X-CRLF", "a \r\n\t b"),
    ])
    let expected = [
      "host": "www.example.com", "x-ows-header": "Leading and trailing whitespace.",
      "x-obs-fold-header": "Obsolete line folding.", "cache-control": "max-age=60, must-revalidate",
      "x-empty-header": "", "example-dict": "a=1,    b=2;x=1;y=2,   c=(a   b   c)", "x-crlf": "a b",
    ]
    for (name, text) in expected { #expect(try value(CoveredComponent(name), fields: fields) == text) }
    #expect(
      try value(CoveredComponent("example-dict", [.strict]), fields: fields) == "a=1, b=2;x=1;y=2, c=(a b c)")
  }

  @Test("members of dictionaries are written anew (2.1.2)")
  func members() throws {
    let fields = HTTPFields([("Example-Dict", "  a=1, b=2;x=1;y=2, c=(a   b    c), d")])
    for (key, text) in ["a": "1", "d": "?1", "b": "2;x=1;y=2", "c": "(a b c)"] {
      #expect(try value(CoveredComponent("example-dict", [.key(key)]), fields: fields) == text)
      #expect(try value(CoveredComponent("example-dict", [.key(key), .strict]), fields: fields) == text)
    }
    #expect(throws: SealedMessageError.malformed("example-dict: has no such member")) {
      try value(CoveredComponent("example-dict", [.key("e")]), fields: fields)
    }
  }

  @Test("lines can be covered one by one (2.1.3)")
  func lines() throws {
    let component = CoveredComponent("example-header", [.bytes])
    #expect(
      try value(
        component, fields: HTTPFields([("Example-Header", "value, with, lots"), ("Example-Header", "of, commas")]))
        == ":dmFsdWUsIHdpdGgsIGxvdHM=:, :b2YsIGNvbW1hcw==:")
    #expect(
      try value(component, fields: HTTPFields([("Example-Header", "value, with, lots, of, commas")]))
        == ":dmFsdWUsIHdpdGgsIGxvdHMsIG9mLCBjb21tYXM=:")
  }

  @Test("Components derived from the target (2.2)")
  func derived() throws {
    #expect(try value(CoveredComponent("@method")) == "POST")
    #expect(try value(CoveredComponent("@target-uri")) == "https://www.example.com/path?param=value")
    #expect(try value(CoveredComponent("@authority"), target: "https://WWW.Example.com:443/") == "www.example.com")
    #expect(try value(CoveredComponent("@authority"), target: "http://www.example.com:80") == "www.example.com")
    #expect(try value(CoveredComponent("@authority"), target: "https://[::1]:8443/") == "[::1]:8443")
    #expect(try value(CoveredComponent("@scheme"), target: "HTTP://www.example.com/") == "http")
    #expect(try value(CoveredComponent("@request-target")) == "/path?param=value")
    #expect(try value(CoveredComponent("@path")) == "/path")
    #expect(try value(CoveredComponent("@path"), target: "https://www.example.com") == "/")
    #expect(try value(CoveredComponent("@path"), target: "https://www.example.com?a=/b") == "/")
    #expect(
      try value(CoveredComponent("@query"), target: "https://a/path?param=value&foo=bar&baz=bat%2Dman#part")
        == "?param=value&foo=bar&baz=bat%2Dman")
    #expect(try value(CoveredComponent("@query"), target: "https://a/path?queryString") == "?queryString")
    #expect(try value(CoveredComponent("@query"), target: "https://a/path") == "?")
  }

  @Test("parameters of the query are decoded and encoded anew (2.2.8)")
  func queryParameters() throws {
    func parameter(_ name: String, _ target: String) throws -> String {
      try value(CoveredComponent("@query-param", [.name(name)]), target: target)
    }
    let plain = "https://www.example.com/path?param=value&foo=bar&baz=batman&qux="
    #expect(try parameter("baz", plain) == "batman")
    #expect(try parameter("qux", plain) == "")
    #expect(try parameter("param", plain) == "value")
    let coded =
      "https://www.example.com/parameters?var=this%20is%20a%20big%0Amultiline%20value&bar=with+plus+whitespace"
      + "&fa%C3%A7ade%22%3A%20=something"
    #expect(try parameter("var", coded) == "this%20is%20a%20big%0Amultiline%20value")
    #expect(try parameter("bar", coded) == "with%20plus%20whitespace")
    #expect(try parameter("fa%C3%A7ade%22%3A%20", coded) == "something")
    #expect(try parameter("a", "https://h/?a=%zz%4") == "%25zz%254")
    for target in ["https://h/", "https://h/?b=1", "https://h/?a=1&a=2", "https://h/?a=1&%61=2"] {
      #expect(throws: SealedMessageError.malformed("@query-param: not there just once")) {
        try parameter("a", target)
      }
    }
  }

  @Test("a line cannot be smuggled into the base, nor bytes that are no text")
  func injection() throws {
    for bad in ["a\nb", "a\r\"x\": b", "a\u{0}b", "ä", "a\u{7F}", "a\n\"@method\": GET"] {
      #expect(throws: SealedMessageError.malformed("x: not printable ASCII")) {
        try value(CoveredComponent("x"), fields: HTTPFields([("x", bad)]))
      }
      #expect(throws: SealedMessageError.malformed("@method: not printable ASCII")) {
        try value(CoveredComponent("@method"), method: bad)
      }
    }
    #expect(try value(CoveredComponent("x", [.bytes]), fields: HTTPFields([("x", "a\u{E4}")])) == ":YcOk:")
  }

  @Test(
    "components that are not there, or not of this kind, are refused",
    arguments: [
      CoveredComponent("missing"), CoveredComponent("@status"), CoveredComponent("@unknown"), CoveredComponent("@"),
      CoveredComponent("@signature-params"), CoveredComponent("@method", [.request]), CoveredComponent("x", [.request]),
      CoveredComponent("@query-param"), CoveredComponent("@query-param", [.key("a")]), CoveredComponent("x", [.strict]),
      CoveredComponent("@method", [.name("x")]), CoveredComponent("@path", [.bytes]),
      CoveredComponent("x", [.name("a")]),
      CoveredComponent("x", [.bytes, .strict]), CoveredComponent("x", [.bytes, .key("a")]),
      CoveredComponent("@x", [.key("a")]),
    ])
  func refused(component: CoveredComponent) {
    #expect(throws: SealedMessageError.self) {
      try value(component, fields: HTTPFields([("x", "a=1"), ("@status", "200"), ("@unknown", "1"), ("@x", "a=1")]))
    }
  }

  @Test("sizes are bounded")
  func bounds() throws {
    let large = String(repeating: "a", count: SignatureLimits.fieldSize)
    #expect(try value(CoveredComponent("x"), fields: HTTPFields([("x", large)])) == large)
    #expect(throws: SealedMessageError.malformed("x: too long")) {
      try value(CoveredComponent("x"), fields: HTTPFields([("x", large + "a")]))
    }
    #expect(throws: SealedMessageError.malformed("target URI: too long")) {
      try value(CoveredComponent("@path"), target: "https://h/" + large)
    }
    let many = (0..<9).map { CoveredComponent("x\($0)") }
    let request = HTTPRequestMessage(
      method: "GET", targetURI: "https://h/", fields: HTTPFields(many.map { ($0.name, large) }))
    #expect(throws: SealedMessageError.malformed("x7: too much is covered")) {
      try SignatureBase.bytes(SignatureInput(many), over: .request(request))
    }
  }

  @Test(
    "targets without scheme or authority have no parts", arguments: ["", "/path", "https:", "://h", "https://", "a:b"])
  func targets(target: String) {
    #expect(throws: SealedMessageError.malformed("target URI: no scheme and authority")) {
      try value(CoveredComponent("@path"), target: target)
    }
  }
}
