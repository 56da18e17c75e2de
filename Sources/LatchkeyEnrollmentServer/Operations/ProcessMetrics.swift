internal import Foundation
internal import Glibc
internal import LatchkeyProcessEnvironment

/// What the system says of this process, and the build, in Prometheus' text format: read when it is asked for.
enum ProcessMetrics {
  /// The lines; what cannot be read is left out.
  static var text: String {
    var text = line("latchkey_build_info", "gauge", "1", labels: "{version=\"\(ProgramVersion.text)\"}")
    if let fields = status() {
      let tick = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
      text += line("process_cpu_seconds_total", "counter", "\(Double(fields[11] + fields[12]) / tick)")
      text += line("process_virtual_memory_bytes", "gauge", "\(fields[20])")
      text += line("process_resident_memory_bytes", "gauge", "\(fields[21] * Int(getpagesize()))")
      if let boot = bootTime() {
        text += line("process_start_time_seconds", "gauge", "\(Double(boot) + Double(fields[19]) / tick)")
      }
    }
    if let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
      // The folder itself is open while it is read.
      text += line("process_open_fds", "gauge", "\(max(0, files.count - 1))")
    }
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
      text += line("process_max_fds", "gauge", "\(limit.rlim_cur)")
    }
    return text
  }

  /// A family of one sample.
  static func line(_ name: String, _ kind: String, _ value: String, labels: String = "") -> String {
    let help = MetricHelp.text(of: name).map { "# HELP \(name) \($0)\n" } ?? ""
    return "\(help)# TYPE \(name) \(kind)\n\(name)\(labels) \(value)\n"
  }

  /// The numbers behind the state in proc_pid_stat(5): the field of number n there is at n - 3; the state itself is 0.
  private static func status() -> [Int]? {
    guard let text = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8),
      let end = text.lastIndex(of: ")")
    else { return nil }
    let fields = text[text.index(after: end)...].split(separator: " ").map { Int($0) ?? 0 }
    return fields.count > 21 ? fields : nil
  }

  private static func bootTime() -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8) else { return nil }
    return text.split(separator: "\n").first { $0.hasPrefix("btime ") }.flatMap { Int($0.dropFirst(6)) }
  }
}
