// libpq (Debian: libpq-dev).
#include <postgresql/libpq-fe.h>
