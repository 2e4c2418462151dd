// SPDX-License-Identifier: Apache-2.0

package remora

// #include <remora.h>
import "C"

import (
	"math"
	"sort"
	"time"
	"unsafe"
)

// sortedNames returns the names of a map.
func sortedNames(values map[string]string) []string {
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// initialise clears a structure of the library and sets its size.
func initialise[T any](structure *T) {
	C.remora_init(unsafe.Pointer(structure), C.size_t(unsafe.Sizeof(*structure)))
}

// milliseconds converts a duration and rounds it up. 0 stays 0 (the default); a negative duration becomes -1 (off).
func milliseconds(duration time.Duration) C.int64_t {
	if duration < 0 {
		return -1
	}
	whole := duration / time.Millisecond
	if duration%time.Millisecond > 0 {
		whole++
	}
	return C.int64_t(whole)
}

// number limits a number to 32 bits. The library refuses the limit, or no data satisfies it.
func number(value int) C.int32_t {
	if value > math.MaxInt32 {
		return math.MaxInt32
	}
	if value < math.MinInt32 {
		return math.MinInt32
	}
	return C.int32_t(value)
}

func boolean(value bool) C.remora_bool {
	if value {
		return 1
	}
	return 0
}

// moment converts milliseconds since 1970; 0 becomes the zero time.
func moment(milliseconds C.int64_t) time.Time {
	if milliseconds == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(milliseconds))
}
