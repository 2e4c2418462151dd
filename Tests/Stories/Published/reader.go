// SPDX-License-Identifier: Apache-2.0

// Reader reads a published tree in Go; see Tests/Stories/published.py for the commands and answers.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	remora "example.org/remora/bindings/go"
)

func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(server, root, caFile, storage string) error {
	client, err := remora.Open(remora.Config{Server: server, CAFile: caFile, StorageDir: storage})
	if err != nil {
		return err
	}
	defer client.Close()
	if err := client.SetContext(map[string]string{"app_version": "2.0"}); err != nil {
		return err
	}
	limits, err := client.OpenCollection(remora.Collection{Name: "limits", RootSHA256: root})
	if err != nil {
		return err
	}
	defer limits.Close()
	files, err := client.OpenCollection(remora.Collection{Name: "files", RootSHA256: root})
	if err != nil {
		return err
	}
	defer files.Close()
	commands := bufio.NewScanner(os.Stdin)
	for commands.Scan() {
		result, err := answer(commands.Text(), client, limits, files)
		var failure *remora.Error
		if errors.As(err, &failure) {
			result = map[string]any{"error": failure.Status.Error()}
		} else if err != nil {
			return err
		}
		text, _ := json.Marshal(result)
		fmt.Println(string(text))
	}
	return commands.Err()
}

// answer executes a command, and returns the answer.
func answer(command string, client *remora.Client, limits, files *remora.Source) (map[string]any, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	switch command {
	case "refresh":
		if _, err := limits.Refresh(ctx); err != nil {
			return nil, err
		}
		snapshot, err := limits.Snapshot()
		if err != nil {
			return nil, err
		}
		defer snapshot.Close()
		others, err := files.Snapshot()
		if err != nil {
			return nil, err
		}
		defer others.Close()
		info, err := snapshot.Info()
		return map[string]any{
			"per_day": snapshot.Int("uploads", "/per_day", -1), "limits": snapshot.Len(), "files": others.Len(),
			"verified": info.Verified,
		}, err
	case "sync":
		report, err := client.Sync(ctx)
		if len(report.Items) > 0 {
			err = nil // The failures of sources are counted.
		}
		return map[string]any{"updated": report.Updated, "unchanged": report.Unchanged, "failed": report.Failed}, err
	default:
		attachment, err := files.OpenAttachment(ctx, "logo")
		if err != nil {
			return nil, err
		}
		defer attachment.Close()
		content, err := attachment.Bytes()
		return map[string]any{"content": string(content)}, err
	}
}
