// SPDX-License-Identifier: Apache-2.0

package remora

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

const fileText = "hello attachment\n"

// record returns a record whose attachment is described as fileText at this location.
func record(id, location string) string {
	return fmt.Sprintf(`{"id": "%s", "last_modified": 1000, "attachment": {"filename": "f", "mimetype": "text/plain",
		"location": "%s", "hash": "%x", "size": %d}}`, id, location, sha256.Sum256([]byte(fileText)), len(fileText))
}

// openFiles returns a collection with attachments, and its server.
func openFiles(t *testing.T, storage string) (*Client, *Source, *collections) {
	t.Helper()
	server := serveCollections(t)
	server.attachments["right"], server.attachments["wrong"] = fileText, "HELLO ATTACHMENT\n"
	server.publish("files", fmt.Sprintf(`[%s, %s, %s, {"id": "none", "last_modified": 1000}]`,
		record("a", "right"), record("b", "wrong"), record("c", "gone")))
	client := openClient(t, Config{StorageDir: storage, Server: server.url})
	source := openCollection(t, client, Collection{Name: "files"})
	if _, err := source.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	return client, source, server
}

func TestAnAttachmentIsDownloadedOnceAndReadInEveryForm(t *testing.T) {
	folder := t.TempDir()
	client, source, server := openFiles(t, filepath.Join(folder, "store"))
	var lastReceived, total int64
	attachment, err := source.OpenAttachment(context.Background(), "a", AttachmentOptions{
		Progress: func(received, size int64) { lastReceived, total = received, size },
	})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, lastReceived, int64(len(fileText)))
	expect(t, total, int64(len(fileText)))
	again, err := source.OpenAttachment(context.Background(), "right", AttachmentOptions{ByLocation: true, LocalOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	expect(t, server.count("/attachments/"), 1)
	source.Close()
	client.Close()
	expect(t, attachment.Size(), int64(len(fileText)))
	content, err := attachment.Bytes()
	expect(t, err == nil && string(content) == fileText, true)
	stored, err := os.ReadFile(attachment.Path())
	expect(t, err == nil && string(stored) == fileText, true)
	var buffer bytes.Buffer
	count, err := attachment.WriteTo(&buffer)
	expect(t, err == nil && count == attachment.Size() && buffer.String() == fileText, true)
	for range []int{1, 2} { // The second replaces the first.
		path := filepath.Join(folder, "saved")
		expect(t, attachment.Save(path, 0o640) == nil, true)
		saved, err := os.ReadFile(path)
		expect(t, err == nil && string(saved) == fileText, true)
		status, err := os.Stat(path)
		expect(t, err == nil && status.Mode() == 0o640, true)
	}
	expectError(t, attachment.Save(filepath.Join(folder, "missing", "saved"), 0o640), os.ErrNotExist)
	expect(t, attachment.Save(filepath.Join(folder, "store"), 0o640) != nil, true) // A folder.
	entries, err := os.ReadDir(folder)
	expect(t, err == nil && len(entries) == 2, true) // No temporary file is left.
	expectCloses(t, attachment)
	for _, closed := range []*Attachment{attachment, {}} {
		expect(t, closed.Size(), 0)
		expect(t, closed.Path(), "")
		_, err = closed.Bytes()
		expectError(t, err, ErrClosed)
		_, err = closed.WriteTo(&buffer)
		expectError(t, err, ErrClosed)
		expectError(t, closed.Save(filepath.Join(folder, "closed"), 0o600), ErrClosed)
	}
}

func TestEachReasonThatAnAttachmentCannotBeOpenedHasItsOwnError(t *testing.T) {
	_, source, _ := openFiles(t, StorageMemory)
	closed := acquire(t, source)
	closed.Close()
	for _, one := range []struct {
		record  string
		options AttachmentOptions
		wanted  error
	}{
		{"b", AttachmentOptions{}, ErrAttachmentMismatch},
		{"b", AttachmentOptions{}, FamilyTrust},
		{"c", AttachmentOptions{}, ErrHTTP},
		{"missing", AttachmentOptions{}, ErrNotFound},
		{"none", AttachmentOptions{}, ErrNotFound},
		{"a", AttachmentOptions{LocalOnly: true}, ErrNotFound},
		{"a", AttachmentOptions{MaxBytes: 16}, ErrTooLarge},
		{"a", AttachmentOptions{MaxBytes: -2}, ErrInvalidArgument},
		{"a", AttachmentOptions{Snapshot: closed}, ErrClosed},
		{"", AttachmentOptions{}, FamilyCall},
		{"a\x00", AttachmentOptions{}, ErrInvalidArgument},
	} {
		attachment, err := source.OpenAttachment(context.Background(), one.record, one.options)
		expectError(t, err, one.wanted)
		expect(t, attachment == nil, true)
	}
	source.Close()
	_, err := source.OpenAttachment(context.Background(), "a")
	expectError(t, err, ErrClosed)
}

func TestOpenAttachmentUsesTheRecordOfTheSnapshot(t *testing.T) {
	_, source, server := openFiles(t, StorageMemory)
	before := acquire(t, source)
	server.publish("files", `[{"id": "other", "last_modified": 1001}]`)
	_, err := source.Refresh(context.Background(), RefreshOptions{Force: true})
	expect(t, err == nil, true)
	_, err = source.OpenAttachment(context.Background(), "a")
	expectError(t, err, ErrNotFound)
	attachment, err := source.OpenAttachment(context.Background(), "a", AttachmentOptions{Snapshot: before})
	if err != nil {
		t.Fatal(err)
	}
	attachment.Close()
}

func TestOpenAttachmentReturnsWhenItsContextIsDone(t *testing.T) {
	server, requested := stalled(t)
	client, _ := open(t, server)
	source := openCollection(t, client, Collection{
		Name: "files", PackagedData: []byte(`{"data": [` + record("a", "right") + `], "timestamp": 1000}`),
	})
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-requested
		cancel()
	}()
	_, err := source.OpenAttachment(ctx, "a")
	expectError(t, err, context.Canceled)
	_, err = source.OpenAttachment(ctx, "a")
	expectError(t, err, context.Canceled)
	late, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err = source.OpenAttachment(late, "a")
	expectError(t, err, context.DeadlineExceeded)
}
