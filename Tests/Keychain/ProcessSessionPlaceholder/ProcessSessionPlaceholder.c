#include "ProcessSessionPlaceholder.h"

#include <stdlib.h>

__attribute__((weak)) void latchkey_process_keychain_session(void) { abort(); }
