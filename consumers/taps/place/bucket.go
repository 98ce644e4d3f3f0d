package place

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"

	"gocloud.dev/blob"
	_ "gocloud.dev/blob/gcsblob" // the scheme gs
	_ "gocloud.dev/blob/s3blob"  // the scheme s3
	"gocloud.dev/gcerrors"
)

// bucket is a Place in an object store: the objects below a prefix.
type bucket struct {
	objects *blob.Bucket
	where   string // as a user writes it
}

// openBucket opens the bucket of a URL such as s3://bucket/folder?region=eu-central-1. The SDK
// finds the credentials as usual: in environment variables, files of the user, or the role of the
// machine.
func openBucket(ctx context.Context, where string) (Place, error) {
	_, rest, _ := strings.Cut(where, "://")
	if name, _, _ := strings.Cut(rest, "/"); strings.Contains(name, "@") { // before an error repeats it
		return nil, errors.New("no key in the address of a bucket, where logs and lists of processes show it: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or GOOGLE_APPLICATION_CREDENTIALS")
	}
	u, err := url.Parse(where)
	if err != nil {
		return nil, fmt.Errorf("%q is no address of a bucket: %w", where, err)
	}
	if u.Host == "" {
		return nil, fmt.Errorf("%s names no bucket: %s://bucket/folder", where, u.Scheme)
	}
	folder := strings.Trim(u.Path, "/")
	u.Path = ""
	objects, err := blob.OpenBucket(ctx, u.String())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	name := u.Scheme + "://" + u.Host
	if folder != "" {
		objects, name = blob.PrefixedBucket(objects, folder+"/"), name+"/"+folder
	}
	return &bucket{objects, name}, nil
}

// String implements Place.
func (b *bucket) String() string { return b.where }

// Close implements Place.
func (b *bucket) Close() error { return b.objects.Close() }

// Sweep implements Place: an object that was not finished is none. Parts of an upload that was cut
// off are kept by some stores until a rule of the bucket deletes them.
func (*bucket) Sweep(context.Context, string, func(string) bool) error { return nil }

// Spool implements Place: the system's folder for temporary files. It is no folder of its own,
// which a killed process would leave there.
func (*bucket) Spool() (string, error) { return os.TempDir(), nil }

// Write implements Place: an object exists when its last byte has arrived, or not at all.
func (b *bucket) Write(ctx context.Context, name string, fn func(io.Writer) error) error {
	return b.write(ctx, name, nil, fn)
}

// CreateOnce implements Place by a conditional write (If-None-Match: *).
func (b *bucket) CreateOnce(ctx context.Context, name string, content []byte) error {
	err := b.write(ctx, name, &blob.WriterOptions{IfNotExist: true}, func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(content))
		return err
	})
	if gcerrors.Code(err) == gcerrors.FailedPrecondition {
		return fmt.Errorf("%s: %w", name, ErrExists)
	}
	return err
}

func (b *bucket) write(ctx context.Context, name string, o *blob.WriterOptions, fn func(io.Writer) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := b.objects.NewWriter(ctx, name, o)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := fn(w); err != nil {
		cancel() // Close then makes no object
		return errors.Join(fmt.Errorf("%s: %w", name, err), closed(w))
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// closed closes a writer whose object is not wanted; being cancelled is not an error.
func closed(w io.Closer) error {
	if err := w.Close(); gcerrors.Code(err) != gcerrors.Canceled && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// Read implements Place.
func (b *bucket) Read(ctx context.Context, name string) ([]byte, error) {
	content, err := b.objects.ReadAll(ctx, name)
	return content, absent(name, err)
}

// Open implements Place.
func (b *bucket) Open(ctx context.Context, name string) (Reader, int64, error) {
	a, err := b.objects.Attributes(ctx, name)
	if err != nil {
		return nil, 0, absent(name, err)
	}
	return object{ctx, b, name}, a.Size, nil
}

// object is an object that is read at any position, with one request for each read.
type object struct {
	ctx  context.Context
	in   *bucket
	name string
}

// ReadAt implements io.ReaderAt.
func (o object) ReadAt(p []byte, at int64) (int, error) {
	r, err := o.in.objects.NewRangeReader(o.ctx, o.name, at, int64(len(p)), nil)
	if err != nil {
		return 0, absent(o.name, err)
	}
	n, err := io.ReadFull(r, p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, errors.Join(err, r.Close())
}

// Close implements io.Closer.
func (object) Close() error { return nil }

// absent turns the store's "not found" into ErrMissing.
func absent(name string, err error) error {
	switch {
	case err == nil:
		return nil
	case gcerrors.Code(err) == gcerrors.NotFound:
		return fmt.Errorf("%s: %w", name, ErrMissing)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// List implements Place.
func (b *bucket) List(ctx context.Context, prefix string) ([]string, error) {
	var names []string
	for it := b.objects.List(&blob.ListOptions{Prefix: prefix}); ; {
		o, err := it.Next(ctx)
		if errors.Is(err, io.EOF) {
			slices.Sort(names)
			return names, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s%s: %w", b.where, prefix, err)
		}
		names = append(names, o.Key)
	}
}

// Move implements Place: a copy in the store, then a deletion. In between both names exist.
func (b *bucket) Move(ctx context.Context, from, to string) error {
	err := b.objects.Copy(ctx, to, from, nil)
	if gcerrors.Code(err) == gcerrors.NotFound {
		there, err := b.objects.Exists(ctx, to)
		if err == nil && !there {
			err = ErrMissing
		}
		return absent(to, err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return b.Remove(ctx, from)
}

// Remove implements Place.
func (b *bucket) Remove(ctx context.Context, name string) error {
	if err := b.objects.Delete(ctx, name); err != nil && gcerrors.Code(err) != gcerrors.NotFound {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
