#include "core/expression.h"
