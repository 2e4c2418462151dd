// SPDX-License-Identifier: Apache-2.0

// Package remora is a client for remote settings: it fetches, verifies and caches the configuration of a server, and
// programs read it from memory. It is a binding of the C library libremora, which cgo finds with pkg-config.
//
// Open returns a Client, whose methods OpenCollection, OpenBundle and OpenSettings open a Source. Reads of a source
// return the last data that was fetched, and send no request. Refresh fetches newer data. Subscribe registers a handler
// for the results of refreshes and for changes. A Snapshot is one version of a source.
//
// Objects with a method Close are io.Closers. A second call of Close does nothing, and the error is always nil.
//
// Errors of the library are of type *Error. Errors of contexts and of encoding/json are returned unchanged. A function
// of a closed object does nothing, returns its default, or fails with ErrClosed.
//
// Every function may be called from any goroutine. The handlers of a client run on one goroutine, one at a time. A
// handler must return, and may call every function, but Refresh, Wait, OpenAttachment and Sync of its own client fail
// with ErrBusy: their results would arrive after the handler has returned. A panic in a handler ends the program.
package remora

// #cgo pkg-config: remora
// #include "callbacks.h"
import "C"

import (
	"fmt"
	"os"
	"runtime/cgo"
	"sync/atomic"
	"time"
)

// Client owns a storage directory, network settings and sources. Most programs open one at start. Close it when it is
// not needed any more.
type Client struct {
	raw     handle[*C.remora_client]
	wakeup  *os.File      // Becomes readable when callbacks are queued.
	stopped chan struct{} // Closed when the goroutine that delivers events has ended.
	// The number of the thread on which handlers run now, or 0.
	handlerThread atomic.Int64
}

// Open creates a client, and starts the goroutine on which its handlers run. It sends no request. The caller closes the
// client. If the storage directory cannot be written, belongs to another user or is writable for all users, the client
// keeps its data in memory, and Log receives the reason. The error is ErrInvalidArgument, ErrStorage if StorageDir is
// not a directory, or ErrUnavailable if the library is older than the header with which the program was built. It
// blocks for file system calls.
func Open(config Config) (*Client, error) {
	if err := requireVersion(C.GoString(C.remora_version())); err != nil {
		return nil, err
	}
	texts := texts{}
	defer texts.free()
	raw := config.raw(&texts)
	if texts.err != nil {
		return nil, texts.err
	}
	var log cgo.Handle // The library frees the handles, even if remora_setup fails.
	if config.Log != nil {
		log = cgo.NewHandle(logger(config.Log))
	}
	var attempt cgo.Handle
	if config.Attempt != nil {
		attempt = cgo.NewHandle(reporter(config.Attempt))
	}
	var client *C.remora_client
	var details C.remora_error
	status := C.remora_go_setup(&raw, C.uintptr_t(log), C.uintptr_t(attempt), &client, &details)
	if err := check(status, &details); err != nil {
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

// Close closes the client. When Close returns, handlers do not run any more, and calls with its sources return
// ErrClosed. Close blocks until a running handler has returned, and up to 200 ms for requests. In a handler, Close
// returns at once, and the client is closed when the handler has returned. The error is always nil.
func (c *Client) Close() error {
	raw := c.raw.take()
	if raw == nil {
		return nil
	}
	c.wakeup.SetReadDeadline(time.Unix(1, 0)) // Ends the wait of deliver.
	if c.isInHandler() {
		go c.finishClose(raw)
	} else {
		c.finishClose(raw)
	}
	return nil
}

func (c *Client) finishClose(raw *C.remora_client) {
	<-c.stopped
	c.wakeup.Close()
	C.remora_client_close(raw)
}

func (c *Client) call(call func(client *C.remora_client, details *C.remora_error) C.remora_status) error {
	return c.raw.call("the client", call)
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
