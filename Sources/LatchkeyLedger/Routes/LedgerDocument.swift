internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentServer

/// The bank in the OpenAPI document. A test validates each type's encoding against its schema.
enum LedgerDocument {
  static let documentation = ServiceDocumentation(
    tag: "accounts", description: "The sample service: accounts and transfers.", schemas: schemas,
    examples: [
      "Transfer": [
        "from": "123123456456", "to": "654654123123", "amount": "2323.23", "currency": "EUR", "notes": "日",
      ]
    ])

  static let accounts = ServiceOperation(
    "GET", Routes.accounts, name: "accounts", summary: "The user's accounts.",
    answers: [.init(200, "The accounts, by number.", schema: "AccountList")])

  static let transfer = ServiceOperation(
    "POST", Routes.transfers, name: "transfer",
    summary: "Moves money; decided once however often it is sent. From the server's threshold on, with an approval.",
    body: "Transfer", mayNeedApproval: true,
    answers: [.init(201, "Booked.", schema: "TransferReceipt")])

  private static let schemas: [(name: String, schema: JSONLiteral)] = [
    (
      "Transfer",
      object(
        [
          ("from", account), ("to", account), ("amount", amount), ("currency", currency),
          ("notes", OpenAPISchemas.text("A remark.", least: 0, most: 140)), ("date", OpenAPISchemas.orNull(date)),
        ], optional: ["date"], "A transfer between two accounts of one currency. Nothing but the date may be missing.")
    ),
    (
      "AccountList",
      object(
        [
          (
            "accounts",
            [
              "type": "array",
              "items": object(
                [("number", account), ("name", ["type": "string"]), ("currency", currency), ("balance", amount)],
                "An account."),
            ]
          )
        ], "The user's accounts, by number.")
    ),
    (
      "TransferReceipt",
      object(
        [
          ("transfer", OpenAPISchemas.identifier("Its name.")), ("from", account), ("to", account), ("amount", amount),
          ("currency", currency), ("balance", amount), ("booked", OpenAPISchemas.time), ("date", date),
        ], optional: ["date"], "A transfer that is booked.")
    ),
  ]

  private static func object(
    _ properties: [(String, JSONLiteral)], optional: [String] = [], _ description: String
  ) -> JSONLiteral { OpenAPISchemas.object(properties, optional: optional, description) }

  private static let account: JSONLiteral = [
    "type": "string", "pattern": "^[0-9]{12}$", "description": "The number of an account.",
  ]
  private static let currency: JSONLiteral = [
    "type": "string", "pattern": "^[A-Z]{3}$", "description": "ISO 4217.",
  ]
  private static let date: JSONLiteral = [
    "type": "integer", "format": "int64", "minimum": .integer(Int(Transfer.dates.lowerBound)),
    "maximum": .integer(Int(Transfer.dates.upperBound)),
    "description": "The transfer date, seconds since 1970: recorded with the booking, which happens at once.",
  ]
  private static let amount: JSONLiteral = [
    "type": "string", "pattern": "^-?(?:0|[1-9][0-9]{0,14})\\.[0-9]{2}$",
    "description": "Decimal text with two decimals.",
  ]
}
