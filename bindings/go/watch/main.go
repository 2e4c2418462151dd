// SPDX-License-Identifier: Apache-2.0

// Watch prints a collection until it changes:
//
//	watch SERVER_URL ROOT_SHA256|off COLLECTION STORAGE_DIR [PACKAGED_JSON]
//
// Arguments, output and exit status are those of examples/c/watch.c.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	remora "example.org/remora/bindings/go"
)

const (
	deadline = 60 * time.Second
	pause    = 200 * time.Millisecond
)

func main() {
	if len(os.Args) != 5 && len(os.Args) != 6 {
		fmt.Fprintf(os.Stderr, "usage: %s SERVER_URL ROOT_SHA256|off COLLECTION STORAGE_DIR [PACKAGED_JSON]\n", os.Args[0])
		os.Exit(2)
	}
	if err := run(os.Args[1:]); err != nil {
		if !errors.Is(err, context.DeadlineExceeded) {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
}

func run(arguments []string) error {
	client, err := remora.Open(remora.Config{Server: arguments[0], StorageDir: arguments[3]})
	if err != nil {
		return err
	}
	defer client.Close()
	collection := remora.Collection{Name: arguments[2], RootSHA256: arguments[1]}
	if arguments[1] == "off" {
		collection.RootSHA256, collection.Trust = "", remora.TrustOff
	}
	if len(arguments) > 4 {
		collection.PackagedFile = arguments[4]
	}
	source, err := client.OpenCollection(collection)
	if err != nil {
		return err
	}
	defer source.Close()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel() // Before the closes, so that no handler blocks them.
	return watch(ctx, source)
}

// watch refreshes until an event after the first refresh has changes.
func watch(ctx context.Context, source *remora.Source) error {
	events := make(chan *remora.Event)
	isFirst := true
	_, err := source.Subscribe("", true, func(event *remora.Event) {
		if event.Cause == remora.CauseOpened {
			printState(event)
		} else if isFirst || event.Outcome != remora.OutcomeUnchanged {
			printEvent(event)
		}
		isFirst = isFirst && event.Cause != remora.CauseRefreshed
		select {
		case events <- event:
		case <-ctx.Done():
		}
	})
	if err != nil {
		return err
	}
	if _, err := next(ctx, events, remora.CauseOpened); err != nil {
		return err
	}
	go refreshRepeatedly(ctx, source)
	if _, err := next(ctx, events, remora.CauseRefreshed); err != nil {
		return err
	}
	fmt.Println("ready")
	for {
		event, err := next(ctx, events, remora.CauseRefreshed)
		if err != nil || len(event.Changes) > 0 {
			return err
		}
	}
}

// next returns the next event with that cause.
func next(ctx context.Context, events <-chan *remora.Event, cause remora.Cause) (*remora.Event, error) {
	for {
		select {
		case event := <-events:
			if event.Cause == cause {
				return event, nil
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// refreshRepeatedly refreshes until the context is done. The event of a failed refresh has its error, and the next
// refresh may succeed.
func refreshRepeatedly(ctx context.Context, source *remora.Source) {
	for ctx.Err() == nil {
		source.Refresh(ctx)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

func printState(event *remora.Event) {
	fmt.Printf("state origin=%v version=%d keys=%d\n", event.Origin, event.Version, event.Snapshot.Len())
	event.Snapshot.Each(func(key string, value remora.Value) bool {
		text, _ := value.JSON()
		fmt.Printf("key %s %s\n", key, text)
		return true
	})
}

func printEvent(event *remora.Event) {
	fmt.Printf("event cause=%v outcome=%v origin=%v version=%d changes=%d\n",
		event.Cause, event.Outcome, event.Origin, event.Version, len(event.Changes))
	var failure *remora.Error
	if errors.As(event.Err, &failure) {
		fmt.Printf("error %v %s\n", failure.Status, failure.Message)
	}
	if event.StorageError != nil {
		fmt.Printf("storage %v\n", event.StorageError)
	}
	for _, change := range event.Changes {
		fmt.Printf("change %v %s", change.Kind, change.Key)
		if change.New != nil {
			fmt.Printf(" %s", change.New)
		}
		fmt.Println()
	}
}
