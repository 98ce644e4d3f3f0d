package streams_test

import (
	"log/slog"
	"math/rand/v2"
	"testing"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// fillPages appends n pages of 1 MiB of one host, and returns their partition.
func fillPages(t *testing.T, opts streams.Options, topic topics.Topic[*schema.Page], n int) int32 {
	t.Helper()
	p, err := streams.NewProducer(t.Context(), opts, "test", topic)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	body := make([]byte, 1<<20)
	_, _ = rand.NewChaCha8([32]byte{}).Read(body) // random bytes do not compress
	for range n {
		if err := p.Send(t.Context(), &schema.Page{RowKey: "test.h:http/", Site: "h.test", Rev: 1, Body: body}); err != nil {
			t.Fatal(err)
		}
	}
	return topics.Partition("test.h", 4)
}

// Records that a group has not read are never deleted, however large they are: the log is full
// instead. When all groups have read them they are deleted, and there is room again.
func TestTheCapsDeleteOnlyWhatEveryGroupHasRead(t *testing.T) {
	opts := streamstest.Options(t)
	log, err := streams.NewLog(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	k := streams.NewKeeper(log, streams.DefaultLayout(true), slog.New(slog.DiscardHandler))
	feeds := topics.Feeds()
	part := fillPages(t, opts, feeds, 70) // 64 MiB is the cap of a partition
	start := func() int64 {
		at, err := log.Start(t.Context(), feeds.Name, part)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	sweep := func() {
		t.Helper()
		if err := k.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	read := func(group string, offset int64) {
		t.Helper()
		if err := log.Commit(t.Context(), group, feeds.Name, part, streams.Progress{Offset: offset}); err != nil {
			t.Fatal(err)
		}
	}
	sweep()
	if f := k.Filled(); start() != 0 || len(f) != 1 || f[0].Topic != feeds.Name || f[0].Unread < f[0].Cap {
		t.Fatalf("nobody read anything: begins at %d, filled %v", start(), f)
	}
	read("feeds", 70)
	sweep()
	if start() != 0 || !k.Full() {
		t.Fatalf("sitemaps read nothing: begins at %d, full %v", start(), k.Full())
	}
	read("sitemaps", 3)
	sweep()
	if at := start(); at != 3 || !k.Full() {
		t.Fatalf("sitemaps read 3: begins at %d, full %v", at, k.Full())
	}
	read("sitemaps", 70)
	sweep()
	if at := start(); at < 4 || at > 20 || k.Full() {
		t.Fatalf("all was read: begins at %d, full %v: want only as much gone as is above the cap", at, k.Full())
	}
}
