/// What each metric means: the HELP lines of Prometheus' text format.
enum MetricHelp {
  static func text(of name: String) -> String? { texts[name] }

  private static let texts = [
    "latchkey_requests_total": "Answered requests by route, method and status.",
    "latchkey_request_seconds": "Time from a request's head to its answer.",
    "latchkey_refusals_total": "Requests answered with a problem, by the problem's code.",
    "latchkey_requests_abandoned_total": "Requests whose client went away before they were complete or answered.",
    "latchkey_connections": "Open connections.",
    "latchkey_connections_refused_total": "Connections closed at once, because there were too many.",
    "latchkey_port_connections_refused_total":
      "Connections that the port of all tenants refused, by reason; the same numbers in the metrics of each tenant.",
    "latchkey_handshakes_total": "Completed TLS handshakes, by whether the client showed a certificate.",
    "latchkey_unfinished_body_bytes": "Bytes held of request bodies that are not complete.",
    "latchkey_logins_total": "Logins that opened a session, by method.",
    "latchkey_logins_refused_total":
      "Refused password logins by reason; other: those beyond the rate at which each has an audit entry.",
    "latchkey_users_locked_total": "Wrong passwords after which a user was locked for unknown origins.",
    "latchkey_certificates_issued_total": "Certificates issued to devices, by what asked for them.",
    "latchkey_certificates_expiring": "Valid certificates that end within the window.",
    "latchkey_revocations_total": "Revocations of devices and of single certificates by this server.",
    "latchkey_decisions_total":
      "Signed requests to services by outcome: done, repeated, overdue, or the code of the problem that refused them.",
    "latchkey_store_seconds": "Time of a call of the store, waiting included.",
    "latchkey_store_retries_total": "Attempts of writes that were repeated after conflicts.",
    "latchkey_store_failures_total": "Calls of the store that failed, by reason.",
    "latchkey_limit_exchanges_total":
      "Exchanges of used limits with the other servers of the store, by outcome: done, late (longer than a second), or failed.",
    "latchkey_audit_head_sequence": "The last number of each audit chain.",
    "latchkey_authority_end_seconds":
      "When the certificate of the authority ends, in seconds since 1970; with a name, that of a named authority.",
    "latchkey_crl_age_seconds":
      "Seconds since the served revocation list was issued; without the series none was asked for yet.",
    "latchkey_build_info": "1, with the program's version as label.",
    "latchkey_metrics_dropped_series": "Series that were dropped, because there were too many.",
    "process_cpu_seconds_total": "CPU time of the process, user and system.",
    "process_resident_memory_bytes": "Resident memory.",
    "process_virtual_memory_bytes": "Virtual memory.",
    "process_open_fds": "Open file descriptors.",
    "process_max_fds": "The limit of open file descriptors.",
    "process_start_time_seconds": "When the process started, seconds since 1970.",
  ]
}
