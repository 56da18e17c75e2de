// The programs run on Linux; elsewhere their products exist so that manifests resolve, and say so.
#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

fputs("latchkey runs on Linux alone: run it there\n", stderr)
exit(69)
