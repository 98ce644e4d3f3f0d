package opensearch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"google.golang.org/protobuf/encoding/protojson"

	"millrace/schema"
)

// op is one operation of a bulk request, whole.
type op struct {
	lines []byte
	which int // index of its record in task.pending
}

// maxID is the longest id that OpenSearch takes, in bytes.
const maxID = 512

// idOf returns the id of a key's document.
func idOf(key string) string {
	if len(key) <= maxID {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	return "sha256:" + base64.RawURLEncoding.EncodeToString(sum[:])
}

// operation returns the lines of the bulk request that indexes a document, or deletes it if d is
// nil. version orders the operations of a key.
func operation(index, key string, version int64, d *schema.Doc) ([]byte, error) {
	meta := map[string]any{"_index": index, "_id": idOf(key), "version": version, "version_type": "external"}
	verb := "delete"
	if d != nil {
		verb = "index"
	}
	out, err := json.Marshal(map[string]any{verb: meta})
	if err != nil {
		return nil, err
	}
	out = append(out, '\n')
	if d == nil {
		return out, nil
	}
	source, err := protojson.MarshalOptions{UseProtoNames: true, EmitUnpopulated: false}.Marshal(d)
	if err != nil {
		return nil, err
	}
	var line bytes.Buffer // protojson may break lines
	if err := json.Compact(&line, source); err != nil {
		return nil, err
	}
	return append(append(out, line.Bytes()...), '\n'), nil
}

// result is the outcome of one operation.
type result struct {
	Status int `json:"status"`
	Error  struct {
		Type   string `json:"type"`
		Reason string `json:"reason"`
		Cause  struct {
			Reason string `json:"reason"`
		} `json:"caused_by"`
	} `json:"error"`
}

// done reports whether the index is in the state that the operation wants: it was done, a newer
// version is there (409), or the document to be deleted is not there (404).
func (r result) done() bool {
	return r.Status/100 == 2 || r.Status == http.StatusConflict || r.Status == http.StatusNotFound && r.Error.Type == ""
}

// refused reports whether the document itself is the cause. All other failures are tried again: a
// busy server, an index that is away, a missing right.
func (r result) refused() bool {
	return r.Status == http.StatusBadRequest || r.Status == http.StatusRequestEntityTooLarge
}

func (r result) err() error {
	return fmt.Errorf("OpenSearch refuses the document (%d): %s: %s %s", r.Status, r.Error.Type, r.Error.Reason, r.Error.Cause.Reason)
}

// bulk sends operations. It returns the operations to be sent again, and, by index in task.pending,
// the errors of those that OpenSearch will never accept.
func (c *client) bulk(ctx context.Context, ops []op) (again []op, refused map[int]error, err error) {
	var body bytes.Buffer
	for _, o := range ops {
		body.Write(o.lines)
	}
	var answer struct {
		Items []map[string]result `json:"items"`
	}
	err = c.ask(ctx, http.MethodPost, "/_bulk", "application/x-ndjson", body.Bytes(), &answer)
	switch s := status(err); {
	case err == nil && len(answer.Items) != len(ops):
		return ops, nil, fmt.Errorf("OpenSearch answered for %d of %d operations", len(answer.Items), len(ops))
	case err == nil:
	case s == http.StatusRequestEntityTooLarge || s == http.StatusBadRequest: // one operation may be the cause
		return c.halves(ctx, ops, err)
	default:
		return ops, nil, err
	}
	refused = map[int]error{}
	var failed result
	for i, item := range answer.Items {
		for _, r := range item {
			switch {
			case r.done():
			case r.refused():
				refused[ops[i].which] = r.err()
			default:
				again = append(again, ops[i])
				failed = r
			}
		}
	}
	if len(again) > 0 {
		err = fmt.Errorf("OpenSearch did not do %d of %d operations (%d %s %s)", len(again), len(ops), failed.Status, failed.Error.Type, failed.Error.Reason)
	}
	return again, refused, err
}

// halves sends the operations in two requests. An operation that is refused alone is refused for
// good.
func (c *client) halves(ctx context.Context, ops []op, why error) (again []op, refused map[int]error, err error) {
	if len(ops) == 1 {
		return nil, map[int]error{ops[0].which: why}, nil
	}
	refused = map[int]error{}
	for _, half := range [][]op{ops[:len(ops)/2], ops[len(ops)/2:]} {
		later, no, failed := c.bulk(ctx, half)
		again, err = append(again, later...), errors.Join(err, failed)
		for which, why := range no {
			refused[which] = why
		}
	}
	return again, refused, err
}
