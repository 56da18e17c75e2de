import ArgumentParser
import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollment
import LatchkeySystem

/// `latchkey request`: a request to any service that accepts this device, with curl's letters.
struct RequestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "request",
    abstract: "Send a request to any service, with this device's certificate and signature.",
    discussion: """
      The options are curl's, as far as they go. The certificate is presented in TLS, and the identity key signs the request (RFC 9421, \
      ecdsa-p256-sha256, tag latchkey-request): method, URL, the content's digest (RFC 9530) and type, and the Idempotency-Key. The \
      service verifies with the key of the certificate; keyid is the device. --no-client-certificate and --no-sign leave either out.

      A response that is signed by the enrollment server's key is verified; one that says so, and is not, is an error. Redirections are \
      not followed: they would carry the certificate and the signature to another place. Nothing is sent twice by itself, but for an \
      approval.

      A service that wants an approval refuses with 403 and a challenge. With --approve, the text of what is approved, and --approve-for, \
      the service's name, the approval key signs the challenge for that text, once you are asked, and the same request is sent once \
      more with it. The service's documentation says what the text is, for each kind of request; write it yourself, of what you send: \
      the service compares it to the byte, a newline at its end, too. If no approval is asked for, nobody is asked, and nothing is signed \
      by that key. An approval that is not accepted ends with 77, one that comes too late with 75; nothing is done then.

      Contents of any size are read and written by pieces. A signed request reads its content twice: from a pipe it is copied to a \
      temporary file first. -o replaces a file when all has come and is verified, and leaves it alone otherwise; on standard output the \
      content appears before it is verified.

      With -v, request and response are reported on standard error; values of Authorization, Cookie and other fields that may be secret, \
      and the query, are left out. A secret for -H goes into a file: -H @FILE has a field in each line.

      With --json, which goes with -o or -I: response (status, version, isVerified, contentType, size, fields, isApproved), done or error.
      """,
    examples: [
      "latchkey request https://api.example/orders", "latchkey request POST https://api.example/orders -d @order.json",
      "latchkey request GET https://api.example/big --cacert ca.pem -o big.bin",
      "latchkey request https://api.example/v1/readings -d @reading.json --idempotency-key reading-of-july-2026 --approve @text --approve-for meter",
    ],
    statuses: .enrollment + [.httpError, .itemNotFound])

  @Argument(help: ArgumentHelp("The method, GET if left out, and the URL: https://HOST/PATH.", valueName: "method-url"))
  var target: [String]
  @Option(name: [.customShort("X"), .customLong("request")], help: ArgumentHelp("The method.", valueName: "method"))
  var method: String?
  @Option(
    name: [.customShort("H"), .customLong("header")], parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A field, NAME: VALUE; or @FILE with one in each line. Repeatable.", valueName: "field"))
  var headers: [String] = []
  @Option(
    name: [.customShort("d"), .customLong("data"), .customLong("data-binary")], parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "The content: @FILE as it is, @- for standard input, or the text itself. Makes the method POST.",
      valueName: "content"))
  var contents: [String] = []
  private var data: String? { contents.first }
  @Option(
    name: [.short, .customLong("output")], help: ArgumentHelp("Write the content to this file.", valueName: "file"))
  var output: String?
  @Flag(name: [.short, .customLong("include")], help: "Print the head of the response, too.") var include = false
  @Flag(name: [.customShort("I"), .customLong("head")], help: "Ask for the head alone (HEAD), and print it.") var head =
    false
  @Flag(name: [.short, .customLong("fail")], help: "End with 22, and print nothing, for a status from 400 on.")
  var fail = false
  @Flag(name: [.short, .customLong("silent")], help: "Print no error; the exit status says it.") var silent = false
  @Flag(name: [.short, .customLong("verbose")], help: "Report what is sent and what comes, without secrets.")
  var verbose = false
  @Option(
    name: [.short, .customLong("write-out")],
    help: ArgumentHelp(
      #"Print this at the end: %{http_code}, %{content_type}, %{size_download}, %{time_total}, %{verified}; \n, \t."#,
      valueName: "format"))
  var writeOut: String?
  @Option(
    name: [.short, .customLong("max-time")],
    help: ArgumentHelp("The most seconds for all of it: 2.5.", valueName: "seconds"))
  var maxTime: Double?
  @Option(
    name: .customLong("cacert"),
    help: ArgumentHelp(
      "Who may vouch for the service: PEM or DER. Else the enrollment's roots for its server, and the system's for others.",
      valueName: "file"))
  var roots: String?
  @Option(help: ArgumentHelp("Mark repetitions of one request with this key.", valueName: "key")) var idempotencyKey:
    String?
  @OptionGroup var approval: RequestApproval
  @Flag(help: "Do not sign the request.") var noSign = false
  @Flag(help: "Do not present the client certificate.") var noClientCertificate = false
  @Flag(help: "Refuse a response that the enrollment server's key has not signed.") var requireSignedResponse = false
  @OptionGroup var enrollment: EnrollmentOptions

  func validate() throws {
    guard (1...2).contains(target.count) else { throw ValidationError("give a method and a URL, or the URL alone") }
    guard target.count == 1 || method == nil else {
      throw ValidationError("give the method once: before the URL, or by -X")
    }
    guard maxTime.map({ $0 > 0 && $0 <= 1e9 }) ?? true else {
      throw ValidationError("--max-time is a number of seconds above 0")
    }
    guard contents.count <= 1 else {
      throw ValidationError("give -d once: write the whole content into one, a=1&b=2, or into a file")
    }
    guard !head || data == nil else {
      throw ValidationError("-I asks for the head alone, and -d sends a content: give one")
    }
    if approval.isGiven {
      guard !noSign, !noClientCertificate else {
        throw ValidationError(
          "an approval goes with a signed request of a device: leave --no-sign and --no-client-certificate out")
      }
      guard !head else {
        throw ValidationError("an answer to -I has no challenge to approve: leave it or --approve out")
      }
    }
    guard [data == "@-", approval.content == "@-", headers.contains("@-")].count(where: { $0 }) <= 1 else {
      throw ValidationError("standard input can be one of them: -d, -H or --approve")
    }
    guard !enrollment.output.json || output != nil || head else {
      throw ValidationError("--json prints events, so the content goes to a file: give -o FILE")
    }
    guard !enrollment.output.json || (!include && writeOut == nil) else {
      throw ValidationError("--json has the status and the fields: leave -i and -w out")
    }
  }

  func run() async throws {
    do {
      try await enrollment.run { try await request() }
    } catch let failure as CommandFailure where silent {
      throw ExitCode(failure.status.rawValue)
    }
  }

  private func request() async throws {
    let client = try enrollment.client()
    let request = try made()
    let approval = try approval.stated(verbose: verbose)
    let start = ContinuousClock.now
    try await limited {
      let answer = try await client.send(request, approving: approval)
      let response = answer.response
      let report = ResponseReport(
        response, verbose: verbose, showsHead: (include || head) && !enrollment.output.json,
        prints: !(fail && response.status >= 400))
      let hint = try await RequestApproval.hint(answer, isStated: approval != nil, client)
      let size = try await report.receive(to: output, isHead: head)
      if enrollment.output.json {
        enrollment.output.emit(
          nil, "response",
          [
            "status": .integer(response.status), "version": .text(response.version),
            "isVerified": .boolean(response.isVerified),
            "contentType": response.field("content-type").map { .text($0) } ?? .null, "size": .integer(size),
            "fields": .list(response.fields.map { .list([.text($0.name), .text($0.value)]) }),
            "isApproved": .boolean(answer.outcome == .sent && response.status < 400),
          ])
      }
      if let writeOut {
        try StandardStreams.write(Array(report.text(writeOut, size: size, time: ContinuousClock.now - start).utf8))
      }
      guard !fail || response.status < 400 else {
        throw CommandFailure(
          .httpError, "the service answered with status \(response.status)\(hint.map { ": \($0)" } ?? "")")
      }
      if let hint, !silent { StandardStreams.reportError(hint) }
    }
    await client.close()
  }

  /// Runs `body` within the time that all of it may take.
  private func limited(_ body: @escaping @Sendable () async throws -> Void) async throws {
    guard let maxTime else { return try await body() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await body() }
      group.addTask {
        try await Task.sleep(for: .seconds(maxTime))
        throw CommandFailure(.tryLater, code: "timeout", "the request was not done within \(maxTime) s")
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  private func made() throws -> ServiceRequest {
    var request = ServiceRequest(
      method: method ?? (target.count == 2 ? target[0] : head ? "HEAD" : "GET"), url: target.last ?? "")
    request.fields = try RequestField.read(headers)
    if let data {
      if method == nil, target.count == 1 { request.method = "POST" }
      request.content =
        data == "@-"
        ? .file(path: "/dev/stdin")
        : data.first == "@" ? .file(path: String(data.dropFirst())) : .bytes(Array(data.utf8))
      if !request.fields.contains(where: { $0.name.lowercased() == "content-type" }) {
        request.fields.append(("Content-Type", "application/x-www-form-urlencoded"))
      }
    }
    request.isSigned = !noSign
    request.showsCertificate = !noClientCertificate
    request.requiresSignedResponse = requireSignedResponse
    request.idempotencyKey = idempotencyKey
    request.trustRoots = try roots.map { path throws(CommandFailure) in try CertificateFile.read(path) }
    if verbose {
      let method = request.method
      request.onSend = { target, fields in
        let path = target.prefix { $0 != "?" } + (target.contains("?") ? "?…" : "")
        RequestField.report(["\(method) \(path)"] + fields.map(RequestField.shown), mark: ">")
      }
    }
    return request
  }
}
