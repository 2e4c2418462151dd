// SPDX-License-Identifier: Apache-2.0

package remora

// #include <remora.h>
import "C"

import (
	"context"
	"os"
	"runtime"
	"syscall"
	"time"
)

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

// deliver runs callbacks until the client is closed. The descriptor is only waited for and never read. The function
// that is passed to Read dispatches before it waits, so that no callback is missed.
func (c *Client) deliver(client *C.remora_client) {
	defer close(c.stopped)
	connection, err := c.wakeup.SyscallConn()
	dispatch := func(uintptr) bool {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		c.handlerThread.Store(int64(syscall.Gettid()))
		defer c.handlerThread.Store(0)
		var count C.size_t
		C.remora_dispatch(client, &count, nil)
		return count > 0
	}
	for err == nil {
		err = connection.Read(dispatch)
	}
}

// isInHandler returns whether a handler of the client makes this call. While handlers run, their goroutine is locked to
// its thread, so no other goroutine can have the thread's number.
func (c *Client) isInHandler() bool { return c.handlerThread.Load() == int64(syscall.Gettid()) }

// mayWait returns the error of a call that must not wait for a result: its context is done, or a handler makes it.
func (c *Client) mayWait(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.isInHandler() {
		return failure(ErrBusy, "a handler cannot wait for a result that arrives after it returns: use a goroutine")
	}
	return nil
}
