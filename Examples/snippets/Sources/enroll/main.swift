import LatchkeyEnrollment
import LatchkeyEnrollmentProtocol

let server = try ServerAddress("https://bank.example")
let client = EnrollmentClient(EnrollmentConfiguration(server: server))
guard let password = readLine() else { fatalError("the password is the first line of standard input") }
_ = try await client.logIn(user: "anna", password: password, deviceName: "kitchen").value
for account in try await client.accounts().value { print(account.number, account.balance) }
