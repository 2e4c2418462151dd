// SPDX-License-Identifier: Apache-2.0

package remora

// #include <stdlib.h>
// #include <remora.h>
import "C"

import (
	"strings"
	"unsafe"
)

// texts keeps C strings, and structures, until a call has returned. C structures may not refer to Go memory.
type texts struct {
	made []unsafe.Pointer
	err  error
}

// add returns a copy of a text; NULL for an empty text.
func (t *texts) add(name, text string) *C.char {
	if text == "" {
		return nil
	}
	return t.copy(name, text)
}

func (t *texts) copy(name, text string) *C.char {
	if err := requireText(name, text); err != nil {
		t.err = err
	}
	made := C.CString(text)
	t.made = append(t.made, unsafe.Pointer(made))
	return made
}

// list returns an array of texts that ends with NULL; NULL for no texts.
func (t *texts) list(name string, values []string) **C.char {
	if len(values) == 0 {
		return nil
	}
	made := C.calloc(C.size_t(len(values)+1), C.size_t(unsafe.Sizeof((*C.char)(nil))))
	t.made = append(t.made, made)
	array := unsafe.Slice((**C.char)(made), len(values)+1)
	for index, value := range values {
		array[index] = t.copy(name, value)
	}
	return (**C.char)(made)
}

// bytes returns a copy of data and its size.
func (t *texts) bytes(data []byte) (*C.char, C.size_t) {
	if len(data) == 0 {
		return nil, 0
	}
	made := C.CBytes(data)
	t.made = append(t.made, made)
	return (*C.char)(made), C.size_t(len(data))
}

// written calls a function that writes a text like snprintf, and returns the text. It calls again if the text is longer
// than the buffer.
func written(write func(buffer *C.char, size C.size_t, length *C.size_t) C.remora_status) ([]byte, C.remora_status) {
	buffer := make([]byte, 256)
	for {
		var length C.size_t
		status := write(pointerTo(buffer), C.size_t(len(buffer)), &length)
		if status != C.REMORA_OK {
			return nil, status
		}
		if length < C.size_t(len(buffer)) {
			return buffer[:length:length], status
		}
		buffer = make([]byte, length+1)
	}
}

// writtenOrAbsent calls a getter that writes a text or its default, and returns false for the default. It calls again
// if the text is longer than the buffer: meanwhile, another version can have become live.
func writtenOrAbsent(get func(buffer *C.char, size C.size_t, absent *C.char) C.size_t) ([]byte, bool) {
	absent := []byte{0xff, 0} // No text of the library, which is UTF-8.
	buffer := make([]byte, 256)
	for {
		length := get(pointerTo(buffer), C.size_t(len(buffer)), pointerTo(absent))
		if length < C.size_t(len(buffer)) {
			return buffer[:length], !(length == 1 && buffer[0] == absent[0])
		}
		buffer = make([]byte, length+1)
	}
}

// terminated returns a copy of a text that ends with a NUL.
func terminated(parameter, text string) ([]byte, error) {
	if err := requireText(parameter, text); err != nil {
		return nil, err
	}
	return append([]byte(text), 0), nil
}

// requireText fails if a text contains a NUL, which C texts cannot.
func requireText(parameter, text string) error {
	if strings.IndexByte(text, 0) >= 0 {
		return failure(ErrInvalidArgument, parameter+" contains a NUL")
	}
	return nil
}

// kept returns a copy of a structure, for another structure that refers to it.
func kept[T any](t *texts, structure T) *T {
	made := C.calloc(1, C.size_t(unsafe.Sizeof(structure)))
	t.made = append(t.made, made)
	*(*T)(made) = structure
	return (*T)(made)
}

func (t *texts) free() {
	for _, made := range t.made {
		C.free(made)
	}
}
