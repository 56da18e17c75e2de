/// The tests of the Bluetooth SIG's suite for the Generic Attribute Profile (GATT.TS): all names, and those of what this
/// host does not do.
enum QualificationSuite {
  /// Why the tables have no case of a test.
  struct Omission: Sendable {
    var reason: String
    var names: Set<String>
  }

  static let server = names(
    """
    SR/GAC BV 1
    SR/GAC BI 1 2 3
    SR/GAD BV 1 2 3 4 5 6 7 8
    SR/GAR BV 1 3 4 5 6 7 8 9 11 12
    SR/GAR BI 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 34 35 36 38 40 42 44 45
    SR/GAW BV 1 2 3 5 6 7 8 9 10 11 12 13 14
    SR/GAW BI 1 2 3 4 5 6 7 8 9 11 12 13 32 33 36 37 38 39 40 41
    SR/GAN BV 1 2 3
    SR/GAI BV 1 2
    SR/GAS BV 1 2 3 4 5 6 7 8
    SR/GAT BV 1
    SR/GPA BV 11 12
    SR/GPM BV 1 2 3 4 5 6 13
    SR/UNS BI 1 2
    """)

  static let client = names(
    """
    CL/GAC BV 1
    CL/GAD BV 1 2 3 4 5 6 7 8
    CL/GAR BV 1 3 4 5 6 7 8 10 11
    CL/GAR BI 1 2 3 4 5 6 7 9 10 11 12 13 14 15 16 17 18 19 20 21 22 34 35 36 38 40 42 44
    CL/GAW BV 1 2 3 5 6 8 9
    CL/GAW BI 2 3 4 5 6 7 8 9 11 12 13 32
    CL/GAN BV 1 2
    CL/GAI BV 1
    CL/GAI BI 1
    CL/GAS BV 1 2 3 4 5
    CL/GAT BV 1 2 3
    CL/GPA BV 11 12
    CL/GPM BV 7 8 9 10 11 12
    """)

  static let omissions: [Omission] = [
    Omission(
      reason: "There is no BR/EDR: no service records, no second transport.",
      names: names(
        """
        SR/GAC BI 2 3
        SR/GAD BV 7 8
        SR/GAR BI 34 35
        SR/GAW BI 36
        CL/GAD BV 7 8
        CL/GAR BI 34 35
        """)),
    Omission(
      reason: "A link has one bearer: no enhanced ones.",
      names: names(
        """
        SR/GAC BI 1
        SR/GAR BV 11 12
        SR/GAW BV 12 13 14
        SR/GAW BI 37 38
        SR/GPM BV 1 2 3 4 5 6 13
        CL/GAR BV 10 11
        CL/GAS BV 4
        CL/GPM BV 7 8 9 10 11 12
        """)),
    Omission(reason: "Nothing is signed.", names: names("SR/GAW BV 2\nCL/GAW BV 2")),
    Omission(
      reason: "The client reads one value at a time.",
      names: names("CL/GAR BV 5 8\nCL/GAR BI 18 19 20 21 22 36 38 40 42 44\nCL/GAT BV 3")),
    Omission(reason: "The client compares no echoes of its parts.", names: names("CL/GAW BV 6")),
    Omission(reason: "The server notifies one value in a PDU.", names: names("SR/GAN BV 2\nCL/GAS BV 5")),
    Omission(
      reason: "Bonds are the host's, not the bearer's.", names: names("SR/GAN BV 3\nSR/GAI BV 2\nSR/GAS BV 4 7")),
    Omission(reason: "The hash depends on the handles: DatabaseHashTests.", names: names("SR/GAS BV 2")),
    Omission(reason: "The client does not ask for Robust Caching.", names: names("CL/GAS BV 3")),
  ]

  /// The names in lines of a group, a behavior and numbers.
  private static func names(_ text: String) -> Set<String> {
    var names: Set<String> = []
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      for number in words.dropFirst(2) {
        names.insert("GATT/\(words[0])/\(words[1])-\(number.count == 1 ? "0" : "")\(number)-C")
      }
    }
    return names
  }
}
