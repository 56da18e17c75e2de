#include "CPlainSQLite.h"

#include <sqlite3.h>
#include <stdlib.h>

struct plain_writer {
  sqlite3 *database;
  sqlite3_stmt *begin, *row, *tag, *commit;
};

static int run(sqlite3_stmt *statement) {
  int status = sqlite3_step(statement);
  int reset = sqlite3_reset(statement);
  return status == SQLITE_DONE ? reset : status;
}

static int prepare(plain_writer *writer, const char *text, sqlite3_stmt **statement) {
  return sqlite3_prepare_v3(writer->database, text, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
}

plain_writer *plain_writer_open(const char *path) {
  plain_writer *writer = calloc(1, sizeof *writer);
  const char *schema =
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
      "CREATE TABLE item(id INTEGER PRIMARY KEY, content BLOB NOT NULL);"
      "CREATE TABLE tag(name INTEGER, value BLOB, item INTEGER, PRIMARY KEY(name, value, item)) WITHOUT ROWID;";
  if (sqlite3_open(path, &writer->database) || sqlite3_exec(writer->database, schema, NULL, NULL, NULL) ||
      prepare(writer, "BEGIN IMMEDIATE", &writer->begin) || prepare(writer, "COMMIT", &writer->commit) ||
      prepare(writer, "INSERT INTO item(content) VALUES(?)", &writer->row) ||
      prepare(writer, "INSERT INTO tag(name, value, item) VALUES(?, ?, ?)", &writer->tag)) {
    plain_writer_close(writer);
    return NULL;
  }
  return writer;
}

int plain_writer_add(plain_writer *writer, const unsigned char *row, int count, const unsigned char tags[48]) {
  int status = run(writer->begin);
  if (status) return status;
  sqlite3_bind_blob(writer->row, 1, row, count, SQLITE_STATIC);
  status = run(writer->row);
  sqlite3_int64 item = sqlite3_last_insert_rowid(writer->database);
  for (int name = 0; name < 3 && !status; name++) {
    sqlite3_bind_int(writer->tag, 1, name);
    sqlite3_bind_blob(writer->tag, 2, tags + 16 * name, 16, SQLITE_STATIC);
    sqlite3_bind_int64(writer->tag, 3, item);
    status = run(writer->tag);
  }
  int committed = run(writer->commit);
  return status ? status : committed;
}

void plain_writer_close(plain_writer *writer) {
  sqlite3_finalize(writer->begin);
  sqlite3_finalize(writer->row);
  sqlite3_finalize(writer->tag);
  sqlite3_finalize(writer->commit);
  sqlite3_close(writer->database);
  free(writer);
}

const char *plain_sqlite_version(void) { return sqlite3_libversion(); }

struct plain_inserter {
  sqlite3 *database;
  sqlite3_stmt *insert;
};

plain_inserter *plain_inserter_open(const char *path) {
  plain_inserter *inserter = calloc(1, sizeof *inserter);
  const char *schema = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                       "CREATE TABLE row(id INTEGER PRIMARY KEY, content BLOB NOT NULL);";
  if (sqlite3_open(path, &inserter->database) || sqlite3_exec(inserter->database, schema, NULL, NULL, NULL) ||
      sqlite3_prepare_v3(inserter->database, "INSERT INTO row(content) VALUES(?)", -1, SQLITE_PREPARE_PERSISTENT,
                         &inserter->insert, NULL)) {
    plain_inserter_close(inserter);
    return NULL;
  }
  return inserter;
}

int plain_inserter_add(plain_inserter *inserter, const unsigned char *row, int count) {
  sqlite3_bind_blob(inserter->insert, 1, row, count, SQLITE_STATIC);
  return run(inserter->insert);
}

void plain_inserter_close(plain_inserter *inserter) {
  sqlite3_finalize(inserter->insert);
  sqlite3_close(inserter->database);
  free(inserter);
}
