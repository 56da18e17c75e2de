// The programs run on Linux; elsewhere their products exist so that manifests resolve, and say so.
#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

fputs("latchkey runs on Linux; on this system it is a placeholder\n", stderr)
exit(69)
