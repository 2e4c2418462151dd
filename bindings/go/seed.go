// SPDX-License-Identifier: Apache-2.0

package remora

// #include "callbacks.h"
import "C"

import (
	"runtime/cgo"
	"strings"
	"time"
	"unsafe"
)

// Seed names the source for which an installer saves data, so that the first start of a program needs no network. Set
// exactly one of Collection, Bundle and Settings, with the values that the program uses. Their fields Options are
// ignored.
type Seed struct {
	Collection *Collection // Needs a file that the command remora dump has written.
	Bundle     *Bundle     // Needs a URL.
	Settings   *Settings   // Not with MemoryOnly.
	Identifier string      // The name of the installer, for the request of settings. Default "seed".
	// The time of the download. A seed replaces stored data only if the data is older. Default: when the file was
	// modified.
	FetchedAt time.Time
}

// SeedRequest is the request with which an installer downloads a seed. Its body is empty.
type SeedRequest struct {
	Method  string // "GET" or "POST".
	URL     string
	Headers map[string]string // Those of Config, and User-Agent.
}

// RequestForSeed returns the request for the seed of settings or a bundle. It sends nothing: the installer sends the
// request with net/http, for example, and passes the file to SaveSeed. A collection, or a bundle without URL, fails
// with ErrInvalidArgument. Config.StorageDir is not used, and Config.Log is not called. Does not block.
func RequestForSeed(config Config, seed Seed) (SeedRequest, error) {
	var found SeedRequest
	number := cgo.NewHandle(&found)
	defer number.Delete()
	err := seed.with(config, func(config *C.remora_config, seed *C.remora_seed_options, details *C.remora_error) C.remora_status {
		return C.remora_go_seed_request(config, seed, C.uintptr_t(number), details)
	})
	return found, err
}

// SaveSeed checks a downloaded file as strictly as a response of the server, and saves it as the seed of a source. The
// next opening of the source uses the seed if it is newer than all stored data. Open sources are not affected. If
// SaveSeed fails, an older unused seed stays.
//
// SaveSeed uses these fields of config: StorageDir (a directory), MaxBodyBytes, LogLevel and Log, and for a collection
// also Server and Bucket. Log is called before SaveSeed returns, with warnings about ignored parts. The error is of
// FamilyStorage or FamilyDocument, and for a collection also of FamilyTrust or FamilyFreshness. It blocks for file
// system calls, and up to 5 s for another process that saves a seed of the source.
func SaveSeed(config Config, seed Seed, file string) error {
	path, err := terminated("file", file)
	if err != nil {
		return err
	}
	var log cgo.Handle
	if config.Log != nil {
		log = cgo.NewHandle(logger(config.Log))
		defer log.Delete()
	}
	return seed.with(config, func(config *C.remora_config, seed *C.remora_seed_options, details *C.remora_error) C.remora_status {
		return C.remora_go_seed_save(config, C.uintptr_t(log), seed, pointerTo(path), details)
	})
}

// with passes the library's options to call.
func (s Seed) with(
	config Config, call func(*C.remora_config, *C.remora_seed_options, *C.remora_error) C.remora_status,
) error {
	texts := texts{}
	defer texts.free()
	rawConfig := config.raw(&texts)
	var raw C.remora_seed_options
	initialise(&raw)
	raw.identifier = texts.add("Identifier", s.Identifier)
	if !s.FetchedAt.IsZero() {
		raw.fetched_at_ms = C.int64_t(s.FetchedAt.UnixMilli())
	}
	if s.Collection != nil {
		raw.collection = kept(&texts, s.Collection.rawOptions(&texts))
	}
	if s.Bundle != nil {
		raw.bundle = kept(&texts, s.Bundle.rawOptions(&texts))
	}
	if s.Settings != nil {
		raw.settings = kept(&texts, s.Settings.rawOptions(&texts))
	}
	if texts.err != nil {
		return texts.err
	}
	var details C.remora_error
	return check(call(&rawConfig, &raw, &details), &details)
}

// copy copies a request of the library.
func (r *SeedRequest) copy(raw *C.const_http_request) {
	r.Method, r.URL, r.Headers = C.GoString(raw.method), C.GoString(raw.url), map[string]string{}
	for _, line := range textsOf(raw.headers) {
		name, value, _ := strings.Cut(line, ": ")
		r.Headers[name] = value
	}
}

// textsOf copies an array of texts that ends with NULL.
func textsOf(array **C.char) (found []string) {
	for array != nil && *array != nil {
		found = append(found, C.GoString(*array))
		array = (**C.char)(unsafe.Add(unsafe.Pointer(array), unsafe.Sizeof(*array)))
	}
	return found
}
