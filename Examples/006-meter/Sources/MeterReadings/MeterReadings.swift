import Crypto
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore

/// Water meters that report what they read: each device its own, signed, and counted once however often it is sent.
public struct MeterReadings: DeviceService {
  /// The name of the service, and its table.
  public let schema: ServiceSchema

  /// The service.
  public init() throws {
    schema = try ServiceSchema(
      name: "meter",
      steps: [
        { dialect in
          [
            """
            CREATE TABLE meter_readings (
              id \(dialect.bytes) NOT NULL PRIMARY KEY,
              device \(dialect.bytes) NOT NULL REFERENCES devices (id),
              number \(dialect.integer) NOT NULL,
              liters \(dialect.integer) NOT NULL CHECK (liters >= 0),
              received \(dialect.integer) NOT NULL,
              UNIQUE (device, number)
            )\(dialect.clustered)
            """
          ]
        }
      ])
  }

  /// `POST /v1/readings`, and `GET` for those of the device.
  public var routes: [ServiceRoute] {
    [
      .signed(Self.report) { request in
        // Before the transaction: the body is read, and what is random is drawn.
        let reading: MeterReading = try request.json()
        guard reading.liters >= 0 else { throw Problem(.invalidValue, detail: "a meter counts from zero up") }
        let id = Identifier.random()
        // Inside of it: it may run more than once, and all that it does is stored together with the answer, or nothing.
        return { store in
          let last = try store.row(
            "SELECT number, liters FROM meter_readings WHERE device = $1 ORDER BY number DESC LIMIT 1",
            [.init(store.device.id)])
          // A meter that counts back was exchanged, which its user approves.
          if let last, reading.liters < (try last.integer(1)),
            let missing = try store.missingApproval(of: reading.approved)
          {
            return .refused(missing)
          }
          let number = try (last?.integer(0) ?? 0) + 1
          try store.change(
            "INSERT INTO meter_readings (id, device, number, liters, received) VALUES ($1, $2, $3, $4, $5)",
            [.init(id), .init(store.device.id), .integer(number), .integer(reading.liters), .integer(store.now)])
          try store.audit("reading", ["device": store.device.id.description, "liters": String(reading.liters)])
          return try .kept(201, json: MeterReceipt(reading: id.description, liters: reading.liters))
        }
      },
      .authenticated(Self.list) { request, store in
        let after = request.query["after"].map { Int64($0) } ?? 0
        guard let after else { throw Problem(.invalidValue, detail: "after is the number of a reading") }
        // A page: the next one begins after its last number.
        let rows = try store.rows(
          "SELECT number, liters FROM meter_readings WHERE device = $1 AND number > $2 ORDER BY number LIMIT 100",
          [.init(request.device), .integer(after)])
        return try ServiceAnswer(
          json: MeterHistory(
            readings: rows.map { .init(number: try $0.integer(0), liters: try $0.integer(1)) }))
      },
    ]
  }

  static let list = ServiceOperation(
    "GET", "/v1/readings", name: "listReadings", summary: "The device's own readings, 100 at a time.",
    parameters: [.init("after", "The number of the last reading of the page before.", schema: ["type": "integer"])],
    answers: [.init(200, "A page, oldest first.", schema: "MeterHistory")], problems: [422])

  static let report = ServiceOperation(
    "POST", "/v1/readings", name: "reportReading",
    summary: "Reports what a meter shows. One that shows less than before needs an approval.", body: "MeterReading",
    mayNeedApproval: true, answers: [.init(201, "Stored.", schema: "MeterReceipt")], problems: [422])

  /// What the OpenAPI document says of the bodies.
  public var documentation: ServiceDocumentation {
    ServiceDocumentation(
      description: "Readings of water meters.",
      schemas: [
        (
          "MeterReading",
          [
            "type": "object", "required": ["liters"],
            "properties": ["liters": ["type": "integer", "format": "int64", "minimum": 0]],
          ]
        ),
        (
          "MeterReceipt",
          [
            "type": "object", "required": ["reading", "liters"],
            "properties": ["reading": ["type": "string"], "liters": ["type": "integer", "format": "int64"]],
          ]
        ),
        (
          "MeterHistory",
          [
            "type": "object", "required": ["readings"],
            "properties": [
              "readings": [
                "type": "array",
                "items": [
                  "type": "object", "required": ["number", "liters"],
                  "properties": [
                    "number": ["type": "integer", "format": "int64"], "liters": ["type": "integer", "format": "int64"],
                  ],
                ],
              ]
            ],
          ]
        ),
      ],
      examples: ["MeterReading": ["liters": 48_213]])
  }
}

/// What a meter shows: the body of a report.
public struct MeterReading: Codable, Sendable {
  /// Liters since the meter was made.
  public var liters: Int64

  /// A reading.
  public init(liters: Int64) { self.liters = liters }

  /// What a user approves: a text of its own for this kind of request, and all that matters of it.
  public var approvedText: String { "meter-exchanged-v1\n\(liters)" }

  /// The text's digest, which the approval key signs.
  public var approved: ApprovedDigest { ApprovedDigest(SHA256.hash(data: Array(approvedText.utf8))) }
}

/// The answer to a report.
public struct MeterReceipt: Codable, Sendable {
  /// The identifier of the reading.
  public var reading: String
  /// What was stored.
  public var liters: Int64
}

/// The readings of a device: the answer to a list.
public struct MeterHistory: Codable, Sendable {
  /// One reading.
  public struct Entry: Codable, Sendable, Hashable {
    /// Its place among those of its device, from 1 on.
    public var number: Int64
    /// What the meter showed.
    public var liters: Int64

    /// A reading.
    public init(number: Int64, liters: Int64) {
      self.number = number
      self.liters = liters
    }
  }

  /// A page of readings, oldest first.
  public var readings: [Entry]
}
