// The peer of `keychain-bench keyring`: finds items with their secrets through libsecret in the running Secret Service
// (gnome-keyring), a thousand items, one after the other.
//
//   secret_service_bench SECONDS
//
// Stores the items, prints `ready`, and then answers each line on standard input with a measurement, one JSON line. Runs
// inside `dbus-run-session` with an unlocked keyring.
#include <libsecret/secret.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 1000 };

static const SecretSchema schema = {
    "latchkey.benchmark",
    SECRET_SCHEMA_NONE,
    {{"account", SECRET_SCHEMA_ATTRIBUTE_STRING}, {"service", SECRET_SCHEMA_ATTRIBUTE_STRING}, {NULL, 0}},
    0, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
};

static void end_on(GError *error, const char *what) {
  if (!error) return;
  fprintf(stderr, "secret_service_bench: %s: %s\n", what, error->message);
  exit(1);
}

int main(int count, char **arguments) {
  double seconds = count > 1 ? atof(arguments[1]) : 5;
  GError *error = NULL;
  char account[32], secret[32];
  for (int id = 0; id < ITEMS; id++) {
    snprintf(account, sizeof account, "account %d", id);
    snprintf(secret, sizeof secret, "password %d", id);
    secret_password_store_sync(&schema, SECRET_COLLECTION_DEFAULT, account, secret, NULL, &error, "account", account,
                               "service", "service", NULL);
    end_on(error, "store");
  }
  puts("ready");
  fflush(stdout);
  char line[16];
  for (int id = 0; fgets(line, sizeof line, stdin);) {
    gint64 start = g_get_monotonic_time(), end = start + (gint64)(seconds * 1e6), now = start;
    long found = 0;
    for (; now < end; id = (id + 389) % ITEMS, found++, now = g_get_monotonic_time()) {
      snprintf(account, sizeof account, "account %d", id);
      snprintf(secret, sizeof secret, "password %d", id);
      char *password =
          secret_password_lookup_sync(&schema, NULL, &error, "account", account, "service", "service", NULL);
      end_on(error, "lookup");
      if (!password || strcmp(password, secret) != 0) {
        fprintf(stderr, "secret_service_bench: item %d came back wrong\n", id);
        return 1;
      }
      secret_password_free(password);
    }
    printf("{\"measure\": \"keyring\", \"value\": %f, \"unit\": \"finds/s\"}\n", found / ((now - start) / 1e6));
    fflush(stdout);
  }
  return 0;
}
