// SQLite (Debian: libsqlite3-dev).
#include <sqlite3.h>

/// Makes a text in double quotes a name and never a literal. `sqlite3_db_config` is variadic, which Swift cannot call.
static inline int latchkey_sqlite_refuse_double_quoted_literals(sqlite3 *connection) {
  int code = sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
  return code == SQLITE_OK ? sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0) : code;
}
