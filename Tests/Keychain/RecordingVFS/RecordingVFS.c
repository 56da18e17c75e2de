#include "RecordingVFS.h"
typedef int translation_unit_is_not_empty;
