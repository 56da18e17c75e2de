internal import Hummingbird
internal import LatchkeyEnrollmentProtocol

/// The parameters of a request's query.
enum QueryValues {
  /// The values by name. A parameter that is unknown or comes twice is refused: a list without the filter that was meant would look like a
  /// list with it.
  ///
  /// - Parameters:
  ///   - isKnown: whether the route has a parameter of this name.
  ///   - longest: the most Unicode scalars of a value.
  /// - Throws: `Problem`: `.malformedRequest`.
  static func read(
    _ request: Request, isKnown: (Substring) -> Bool, longest: (Substring) -> Int = { _ in 1024 }
  ) throws(Problem) -> [String: String] {
    var values: [String: String] = [:]
    for (name, value) in request.uri.queryParameters {
      guard isKnown(name) else {
        throw Problem(
          .malformedRequest, detail: "this path has no parameter of that name; the OpenAPI document lists them")
      }
      guard value.unicodeScalars.count <= longest(name) else {
        throw Problem(.malformedRequest, detail: "the parameter \(name) is too long")
      }
      guard values.updateValue(String(value), forKey: String(name)) == nil else {
        throw Problem(.malformedRequest, detail: "the parameter \(name) comes twice")
      }
    }
    return values
  }
}
