// SPDX-License-Identifier: Apache-2.0

package remora

import (
	"context"
	"testing"
)

func TestRefreshReturnsWhenItsContextIsDone(t *testing.T) {
	server, requested := stalled(t)
	_, source := open(t, server)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-requested
		cancel()
	}()
	_, err := source.Refresh(ctx)
	expectError(t, err, context.Canceled)
	_, err = source.Refresh(ctx)
	expectError(t, err, context.Canceled)
}

func TestCloseEndsARefresh(t *testing.T) {
	for _, end := range []func(*Client, *Source){
		func(client *Client, _ *Source) { client.Close() },
		func(_ *Client, source *Source) { source.Close() },
	} {
		server, requested := stalled(t)
		client, source := open(t, server)
		go func() {
			<-requested
			end(client, source)
		}()
		_, err := source.Refresh(context.Background())
		expectError(t, err, ErrClosed)
		_, err = source.Refresh(context.Background())
		expectError(t, err, ErrClosed)
	}
}
