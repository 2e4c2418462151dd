// SPDX-License-Identifier: Apache-2.0

package remora

// #include "callbacks.h"
import "C"

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime/cgo"
	"unsafe"
)

// Attachment is a file of a record. Its size and SHA-256 were compared with those in the record, so it is as
// trustworthy as the record. Close it when it is not needed any more. It stays readable after its source and its client
// are closed.
type Attachment struct {
	raw handle[*C.remora_attachment]
}

// AttachmentOptions has the options of OpenAttachment. An empty field has its default.
type AttachmentOptions struct {
	Snapshot   *Snapshot // The snapshot that has the record. Default: the live version.
	MaxBytes   int64     // Larger attachments fail with ErrTooLarge. Default 64 MiB; -1: no limit.
	ByLocation bool      // The argument record of OpenAttachment is a location, not the id of a record.
	LocalOnly  bool      // Sends no request: the attachment must be stored or packaged.
	// Progress receives the number of bytes that were received, and the size of the attachment. It is called like a
	// handler, about a hundred times at most, and not at all if no download is needed. received decreases if the server
	// sends the file from the beginning again. A last call can follow after the context is done.
	Progress func(received, total int64)
}

// OpenAttachment opens the attachment of the record with this id: from the storage directory, from the packaged
// attachments, or from the server. A downloaded file is stored for later openings, and an interrupted download is
// continued by the next opening. If the context is done before the attachment is open, OpenAttachment returns the error
// of the context. The caller closes the attachment.
//
// The error is ErrNotFound if the record has no attachment, ErrAttachmentMismatch if the downloaded bytes are not those
// that the record describes, ErrTooLarge, ErrBusy in a handler, or one of FamilyNetwork, FamilyDocument or
// FamilyStorage.
func (s *Source) OpenAttachment(ctx context.Context, record string, options ...AttachmentOptions) (*Attachment, error) {
	if err := s.client.mayWait(ctx); err != nil {
		return nil, err
	}
	text, err := terminated("record", record)
	if err != nil {
		return nil, err
	}
	var raw C.remora_attachment_options
	initialise(&raw)
	var received progress
	for _, one := range options {
		snapshot, err := holdOrNull(one.Snapshot)
		if err != nil {
			return nil, err
		}
		defer C.remora_snapshot_release(snapshot)
		if snapshot != nil {
			raw.snapshot = snapshot
		}
		raw.max_bytes = C.int64_t(one.MaxBytes)
		raw.by_location, raw.local_only = boolean(one.ByLocation), boolean(one.LocalOnly)
		received = one.Progress
	}
	it := &opening{newOperation[*Attachment]()}
	it.discard = func(late *Attachment) {
		if late != nil {
			late.Close()
		}
	}
	var request *C.remora_request
	err = start(&s.raw, "the source", it,
		func(source *C.remora_source, number C.uintptr_t, details *C.remora_error) C.remora_status {
			var onProgress cgo.Handle // The library frees it, even if the call fails.
			if received != nil {
				onProgress = cgo.NewHandle(received)
			}
			return C.remora_go_attachment(source, pointerTo(text), &raw, C.uintptr_t(onProgress), number, &request, details)
		})
	if err != nil {
		return nil, err
	}
	return it.wait(ctx, request)
}

// opening is an attachment that is being opened.
type opening struct{ operation[*Attachment] }

func (o *opening) complete(result *C.const_result) {
	var it *Attachment
	if result.attachment != nil {
		it = &Attachment{}
		it.raw.set(C.remora_attachment_retain(result.attachment))
	}
	o.finish(it, copyError(result.error))
}

type progress func(received, total int64)

func (p progress) forget() {}

// Size returns the number of bytes; 0 if the attachment is closed.
func (a *Attachment) Size() int64 {
	var size C.size_t
	a.raw.use(func(raw *C.remora_attachment) { size = C.remora_attachment_size(raw) })
	return int64(size)
}

// Path returns the file that contains the attachment, for a program that needs a file; "" if the attachment is in
// memory only, or closed. Do not write to the file: it is shared. Remora can remove the file when no record refers to
// it any more.
func (a *Attachment) Path() (path string) {
	a.raw.use(func(raw *C.remora_attachment) { path = C.GoString(C.remora_attachment_path(raw)) })
	return path
}

// Bytes returns a copy of the bytes. For large attachments, use WriteTo, which makes no copy.
func (a *Attachment) Bytes() (content []byte, err error) {
	err = a.view(func(bytes []byte) error {
		content = append([]byte{}, bytes...)
		return nil
	})
	return content, err
}

// WriteTo writes all bytes with one call of Write. It implements io.WriterTo.
func (a *Attachment) WriteTo(writer io.Writer) (count int64, err error) {
	err = a.view(func(bytes []byte) error {
		written, err := writer.Write(bytes)
		count = int64(written)
		return err
	})
	return count, err
}

// Save writes the bytes to a file, which it replaces if it exists. Other programs see the old file or the complete new
// one: Save writes a temporary file in the same folder, and renames it. It blocks for file system calls. Errors of the
// file system are those of package os.
func (a *Attachment) Save(path string, mode os.FileMode) error {
	return a.view(func(bytes []byte) error {
		file, err := os.CreateTemp(filepath.Dir(path), ".remora-*")
		if err != nil {
			return err
		}
		_, err = file.Write(bytes)
		if err == nil {
			err = file.Chmod(mode)
		}
		if closing := file.Close(); err == nil {
			err = closing
		}
		if err == nil {
			err = os.Rename(file.Name(), path)
		}
		if err != nil {
			os.Remove(file.Name())
		}
		return err
	})
}

// Close releases the attachment. A stored file remains. A second call does nothing. The error is always nil. Does not
// block.
func (a *Attachment) Close() error {
	C.remora_attachment_release(a.raw.take())
	return nil
}

// view passes the library's bytes to a function. The attachment may be closed during the call.
func (a *Attachment) view(call func(bytes []byte) error) error {
	var held *C.remora_attachment
	a.raw.use(func(raw *C.remora_attachment) { held = C.remora_attachment_retain(raw) })
	if held == nil {
		return errClosed("the attachment")
	}
	defer C.remora_attachment_release(held)
	return call(unsafe.Slice((*byte)(C.remora_attachment_data(held)), int(C.remora_attachment_size(held))))
}
