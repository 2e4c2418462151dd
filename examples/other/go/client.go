// SPDX-License-Identifier: Apache-2.0

// Package remora is a small binding of libremora for Go: collections, reads, refreshes and subscriptions. See
// docs/bindings.md.
//
// Every function may be called from any goroutine. Handlers of subscriptions run on one goroutine per client.
package remora

// #cgo pkg-config: remora
// #include <stdlib.h>
// #include <remora.h>
import "C"

import (
	"fmt"
	"os"
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
	ApplicationName    string
	ApplicationVersion string
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
	C.remora_init(unsafe.Pointer(&raw), C.size_t(unsafe.Sizeof(raw)))
	raw.callbacks = C.REMORA_CALLBACKS_ON_DISPATCH // No thread of the library may enter Go.
	raw.storage_dir = texts.add("StorageDir", config.StorageDir)
	raw.server = texts.add("Server", config.Server)
	raw.bucket = texts.add("Bucket", config.Bucket)
	raw.application_name = texts.add("ApplicationName", config.ApplicationName)
	raw.application_version = texts.add("ApplicationVersion", config.ApplicationVersion)
	if texts.err != nil {
		return nil, texts.err
	}
	var client *C.remora_client
	var details C.remora_error
	if err := check(C.remora_setup(&raw, &client, &details), &details); err != nil {
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
	if strings.IndexByte(text, 0) >= 0 {
		t.err = failure(ErrInvalidArgument, name+" contains a NUL")
	}
	if text == "" {
		return nil
	}
	made := C.CString(text)
	t.made = append(t.made, unsafe.Pointer(made))
	return made
}

func (t *texts) free() {
	for _, made := range t.made {
		C.free(made)
	}
}
