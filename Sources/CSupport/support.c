#include "remora_support.h"
