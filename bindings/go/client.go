// SPDX-License-Identifier: Apache-2.0

// Package remora is a client for remote settings: it fetches, verifies and caches the configuration of a server, and
// programs read it from memory. It is a binding of the C library libremora, which cgo finds with pkg-config.
//
// Open returns a Client, whose methods OpenCollection, OpenBundle and OpenSettings open a Source. Reads of a source
// return the last data that was fetched, and send no request. Refresh fetches newer data. Subscribe calls a handler
// after each refresh and each change.
//
// Every function may be called from any goroutine. The handlers of a client run on one goroutine, one at a time. A
// handler must return, and may call every function except Client.Close, Source.Refresh and Source.Wait, which would wait
// for the handler itself. A panic in a handler ends the program.
package remora

// #cgo pkg-config: remora
// #include <stdlib.h>
// #include "callbacks.h"
import "C"

import (
	"fmt"
	"os"
	"runtime/cgo"
	"sort"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// Config has the options of a client. An empty field has its default.
type Config struct {
	StorageDir         string // A directory on a local file system, or StorageMemory.
	Server             string // "prod", "stage", "dev" or a URL.
	Bucket             string // The default bucket of collections.
	ApplicationName    string // The User-Agent begins with the name and the version.
	ApplicationVersion string
	ApplicationBuild   string
	UserAgent          string            // Replaces the generated User-Agent.
	Headers            map[string]string // Headers of every request to the server of a source.
	Proxy              string            // The URL of a proxy.
	CAFile             string            // Certificates that replace those of the system.
	ConnectTimeout     time.Duration     // Default 10 s; a negative number turns the limit off, as for all timeouts.
	StallTimeout       time.Duration     // The longest time without a byte.
	TotalTimeout       time.Duration     // The longest time of a request.
	MaxBodyBytes       int64             // The largest response.
	LogLevel           LogLevel          // The least severe level that Log receives. Default LogWarning.
	// Log receives log lines, which begin with the name of the source. Set it, because failures of background refreshes
	// are not visible otherwise. Default: none.
	Log func(level LogLevel, line string)
}

func (c Config) headerLines() []string {
	lines := sortedNames(c.Headers)
	for index, name := range lines {
		lines[index] = name + ": " + c.Headers[name]
	}
	return lines
}

type logger func(level LogLevel, line string)

func (l logger) forget() {}

func (l logger) write(entry *C.const_log_entry) {
	l(LogLevel(entry.level), C.GoString(entry.message))
}

// Client opens sources. Close it when it is not needed any more.
type Client struct {
	raw     handle[C.remora_client]
	wakeup  *os.File      // Becomes readable when callbacks are queued.
	stopped chan struct{} // Closed when the goroutine that delivers events has ended.
}

// Open makes a client, and starts the goroutine on which its handlers run. It sends no request. It blocks for file
// system calls.
func Open(config Config) (*Client, error) {
	if err := requireVersion(C.GoString(C.remora_version())); err != nil {
		return nil, err
	}
	texts := texts{}
	defer texts.free()
	var raw C.remora_config
	initialise(&raw)
	raw.callbacks = C.REMORA_CALLBACKS_ON_DISPATCH // No thread of the library may enter Go.
	raw.storage_dir = texts.add("StorageDir", config.StorageDir)
	raw.server = texts.add("Server", config.Server)
	raw.bucket = texts.add("Bucket", config.Bucket)
	raw.application_name = texts.add("ApplicationName", config.ApplicationName)
	raw.application_version = texts.add("ApplicationVersion", config.ApplicationVersion)
	raw.application_build = texts.add("ApplicationBuild", config.ApplicationBuild)
	raw.user_agent = texts.add("UserAgent", config.UserAgent)
	raw.headers = texts.list("Headers", config.headerLines())
	raw.proxy = texts.add("Proxy", config.Proxy)
	raw.ca_file = texts.add("CAFile", config.CAFile)
	raw.connect_timeout_ms = milliseconds(config.ConnectTimeout)
	raw.stall_timeout_ms = milliseconds(config.StallTimeout)
	raw.total_timeout_ms = milliseconds(config.TotalTimeout)
	raw.max_body_bytes = C.int64_t(config.MaxBodyBytes)
	raw.log_level = C.remora_log_level(config.LogLevel)
	if texts.err != nil {
		return nil, texts.err
	}
	var log cgo.Handle // The library frees it, even if remora_setup fails.
	if config.Log != nil {
		log = cgo.NewHandle(logger(config.Log))
	}
	var client *C.remora_client
	var details C.remora_error
	if err := check(C.remora_go_setup(&raw, C.uintptr_t(log), &client, &details), &details); err != nil {
		return nil, err
	}
	wakeup, err := openWakeup(client)
	if err != nil {
		C.remora_client_close(client)
		return nil, err
	}
	it := &Client{wakeup: wakeup, stopped: make(chan struct{})}
	it.raw.set(client)
	go it.deliver(client)
	return it, nil
}

// Close closes the client. Handlers do not run any more when it returns, and calls with its sources return ErrClosed. It
// blocks until a running handler has returned, and up to 200 ms for requests. Do not call it in a handler.
func (c *Client) Close() {
	raw := c.raw.take()
	if raw == nil {
		return
	}
	c.wakeup.SetReadDeadline(time.Unix(1, 0)) // Ends the wait of deliver.
	<-c.stopped
	c.wakeup.Close()
	C.remora_client_close(raw)
}

// requireVersion fails if a library cannot be used with the header that the program was built with.
func requireVersion(loaded string) error {
	var major, minor, patch int
	fmt.Sscanf(loaded, "%d.%d.%d", &major, &minor, &patch)
	isOlder := minor < C.REMORA_VERSION_MINOR || (minor == C.REMORA_VERSION_MINOR && patch < C.REMORA_VERSION_PATCH)
	if major == C.REMORA_VERSION_MAJOR && !isOlder {
		return nil
	}
	return failure(ErrUnavailable, fmt.Sprintf("libremora %s cannot replace version %s", loaded, C.REMORA_VERSION))
}

// openWakeup returns a duplicate of the client's descriptor, which Go's poller can own. The library keeps the original.
func openWakeup(client *C.remora_client) (*os.File, error) {
	var descriptor C.int32_t
	var details C.remora_error
	if err := check(C.remora_client_get_fd(client, &descriptor, &details), &details); err != nil {
		return nil, err
	}
	syscall.ForkLock.RLock()
	duplicate, err := syscall.Dup(int(descriptor))
	if err == nil {
		syscall.CloseOnExec(duplicate)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, os.NewSyscallError("dup", err)
	}
	file := os.NewFile(uintptr(duplicate), "remora")
	if err := file.SetReadDeadline(time.Time{}); err != nil { // Go's poller must know the descriptor.
		file.Close()
		return nil, err
	}
	return file, nil
}

// deliver runs callbacks until the client is closed. The descriptor is only waited for and never read. The function that
// is passed to Read dispatches before it waits, so that no callback is missed.
func (c *Client) deliver(client *C.remora_client) {
	defer close(c.stopped)
	connection, err := c.wakeup.SyscallConn()
	dispatch := func(uintptr) bool {
		var count C.size_t
		C.remora_dispatch(client, &count, nil)
		return count > 0
	}
	for err == nil {
		err = connection.Read(dispatch)
	}
}

// handle keeps the address of an object of the library. Calls that use it do not wait, so take waits only for a moment.
type handle[T any] struct {
	lock sync.RWMutex
	raw  *T
}

func (h *handle[T]) set(raw *T) { h.raw = raw }

// use calls with the object, and returns false if it was closed.
func (h *handle[T]) use(call func(raw *T)) bool {
	h.lock.RLock()
	defer h.lock.RUnlock()
	if h.raw == nil {
		return false
	}
	call(h.raw)
	return true
}

// take returns the object for its release, and nil at every later call. No other call uses the object any more.
func (h *handle[T]) take() *T {
	h.lock.Lock()
	defer h.lock.Unlock()
	raw := h.raw
	h.raw = nil
	return raw
}

// texts keeps C strings until a call has returned. C structures may not refer to Go memory.
type texts struct {
	made []unsafe.Pointer
	err  error
}

// add returns a copy of a text, and NULL for an empty one.
func (t *texts) add(name, text string) *C.char {
	if text == "" {
		return nil
	}
	return t.copy(name, text)
}

func (t *texts) copy(name, text string) *C.char {
	if strings.IndexByte(text, 0) >= 0 {
		t.err = failure(ErrInvalidArgument, name+" contains a NUL")
	}
	made := C.CString(text)
	t.made = append(t.made, unsafe.Pointer(made))
	return made
}

// list returns an array of texts that NULL ends, and NULL for no texts.
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

func (t *texts) free() {
	for _, made := range t.made {
		C.free(made)
	}
}

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

// milliseconds converts a duration: 0 is the default, a negative one turns off, and a part of a millisecond counts as one.
func milliseconds(duration time.Duration) C.int64_t {
	if duration < 0 {
		return -1
	}
	return C.int64_t((duration + time.Millisecond - 1) / time.Millisecond)
}

func boolean(value bool) C.remora_bool {
	if value {
		return 1
	}
	return 0
}
