#pragma once
// The peer of the keychain's writes: SQLite by its own interface, one connection, WAL and synchronous = FULL, and
// nothing but what an application would write: one row of 400 bytes and three tags.

typedef struct plain_writer plain_writer;

/// Makes a database at `path`; NULL if SQLite refuses.
plain_writer *plain_writer_open(const char *path);
/// One durable transaction: a row and three tags. 0, or SQLite's error.
int plain_writer_add(plain_writer *writer, const unsigned char *row, int count, const unsigned char tags[48]);
void plain_writer_close(plain_writer *writer);
/// SQLite's version.
const char *plain_sqlite_version(void);

// The peer of the enrollment server's transfers: one durable row after the other, by one connection.

typedef struct plain_inserter plain_inserter;

/// Makes a database at `path`; NULL if SQLite refuses.
plain_inserter *plain_inserter_open(const char *path);
/// One durable row. 0, or SQLite's error.
int plain_inserter_add(plain_inserter *inserter, const unsigned char *row, int count);
void plain_inserter_close(plain_inserter *inserter);
