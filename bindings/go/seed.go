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
// exactly one of Collection, Bundle and Settings, with the values that the program uses. Their Options are ignored.
type Seed struct {
	Collection *Collection // Needs a file that the command remora dump has written.
	Bundle     *Bundle     // Needs a URL.
	Settings   *Settings   // Not with MemoryOnly.
	Identifier string      // The name of the installer, for the request of settings. Default "seed".
	// The time of the download. A seed replaces stored data only if that is older. Default: when the file was modified.
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
	err := seed.with(config, func(raw *rawSeed, details *C.remora_error) C.remora_status {
		return C.remora_go_seed_request(&raw.config, &raw.options, raw.collection, raw.bundle, raw.settings,
			C.uintptr_t(number), details)
	})
	return found, err
}

// SaveSeed checks a downloaded file as strictly as a response of the server, and saves it as the seed of a source. The
// next opening of the source uses the seed if it is newer than all stored data. Open sources are not affected. If it
// fails, an older unused seed stays.
//
// It uses StorageDir, which must be a directory, MaxBodyBytes, LogLevel and Log of the configuration, and Server and
// Bucket for a collection. Log is called before SaveSeed returns, with warnings about ignored parts. The error is of
// FamilyStorage or FamilyDocument, and for a collection also of FamilyTrust or FamilyFreshness. It blocks for file
// system calls, and up to 5 s for another process that saves a seed of the source.
func SaveSeed(config Config, seed Seed, file string) error {
	var log cgo.Handle
	if config.Log != nil {
		log = cgo.NewHandle(logger(config.Log))
		defer log.Delete()
	}
	if err := requireText("file", file); err != nil {
		return err
	}
	path := append([]byte(file), 0)
	return seed.with(config, func(raw *rawSeed, details *C.remora_error) C.remora_status {
		return C.remora_go_seed_save(&raw.config, C.uintptr_t(log), &raw.options, raw.collection, raw.bundle, raw.settings,
			pointerTo(path), details)
	})
}

// rawSeed has the structures for the library. C joins them, because Go memory that C uses has no pointers to Go memory.
type rawSeed struct {
	config     C.remora_config
	options    C.remora_seed_options
	collection *C.remora_collection_options
	bundle     *C.remora_bundle_options
	settings   *C.remora_settings_options
}

// with calls with the options for the library.
func (s Seed) with(config Config, call func(raw *rawSeed, details *C.remora_error) C.remora_status) error {
	texts := texts{}
	defer texts.free()
	raw := &rawSeed{config: config.raw(&texts)}
	initialise(&raw.options)
	raw.options.identifier = texts.add("Identifier", s.Identifier)
	if !s.FetchedAt.IsZero() {
		raw.options.fetched_at_ms = C.int64_t(s.FetchedAt.UnixMilli())
	}
	if s.Collection != nil {
		options := s.Collection.rawOptions(&texts)
		raw.collection = &options
	}
	if s.Bundle != nil {
		options := s.Bundle.rawOptions(&texts)
		raw.bundle = &options
	}
	if s.Settings != nil {
		options := s.Settings.rawOptions(&texts)
		raw.settings = &options
	}
	if texts.err != nil {
		return texts.err
	}
	var details C.remora_error
	return check(call(raw, &details), &details)
}

// copy copies a request of the library.
func (r *SeedRequest) copy(raw *C.const_http_request) {
	r.Method, r.URL, r.Headers = C.GoString(raw.method), C.GoString(raw.url), map[string]string{}
	for _, line := range textsOf(raw.headers) {
		name, value, _ := strings.Cut(line, ": ")
		r.Headers[name] = value
	}
}

// textsOf copies an array of texts that NULL ends.
func textsOf(array **C.char) (found []string) {
	for array != nil && *array != nil {
		found = append(found, C.GoString(*array))
		array = (**C.char)(unsafe.Add(unsafe.Pointer(array), unsafe.Sizeof(*array)))
	}
	return found
}
