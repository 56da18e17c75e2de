#pragma once
// Debian puts the header into a folder of its own, others beside the rest.
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif
