package opensearch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"google.golang.org/protobuf/encoding/protojson"

	"millrace/schema"
)

// op is one operation of a bulk request, whole.
type op struct {
	lines []byte
	which int // index of its record in task.pending
	tries int // how often the index failed at it (5xx) while it answered
}

// mostTries is how often an operation is tried at which the index fails while it takes others.
const mostTries = 10

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

// refused reports whether the document itself may be the cause. All other failures are tried again:
// a busy server, an index that is away, a missing right.
func (r result) refused() bool {
	return r.Status == http.StatusBadRequest || r.Status == http.StatusRequestEntityTooLarge
}

// mapped reports whether the mapping of the index is why a document was refused; an index that is
// closed answers 400 too.
func (r result) mapped() bool {
	switch r.Error.Type {
	case "mapper_parsing_exception", "document_parsing_exception", "strict_dynamic_mapping_exception", "illegal_argument_exception":
		return r.Status == http.StatusBadRequest
	}
	return false
}

// failed reports whether the index failed at the operation (500), and is not only busy or away
// (429,
// 503).
func (r result) failed() bool {
	return r.Status/100 == 5 && r.Status != http.StatusServiceUnavailable
}

func (r result) err() error {
	return fmt.Errorf("OpenSearch refuses the document (%d): %s: %s %s", r.Status, r.Error.Type, r.Error.Reason, r.Error.Cause.Reason)
}

// outcome tells how operations ended.
type outcome struct {
	done    int64         // bytes of those that are done
	again   []op          // to be sent again
	refused map[int]error // by index in task.pending: those that OpenSearch will never accept
	err     error         // why again is not empty
}

// bulk sends operations. What is refused, or failed for the tenth time, counts as refused only if
// the index takes another operation at the same time: an index that is closed answers 400 to all of
// them, and a proxy whatever it wants.
func (c *client) bulk(ctx context.Context, ops []op) outcome {
	items, err := c.send(ctx, ops)
	if s := status(err); s == http.StatusRequestEntityTooLarge || s == http.StatusBadRequest { // one operation may be the cause
		return c.halves(ctx, ops, err)
	}
	if err != nil {
		return outcome{again: ops, err: err}
	}
	out := outcome{refused: map[int]error{}}
	var last result
	taken := false
	doubtful := map[int]op{}
	for i, r := range items {
		switch o := ops[i]; {
		case r.done():
			taken, out.done = true, out.done+int64(len(o.lines))
		case r.refused() || r.failed() && o.tries+1 >= mostTries:
			out.refused[o.which], doubtful[o.which] = r.err(), o
		default:
			if r.failed() {
				o.tries++
			}
			out.again, last = append(out.again, o), r
		}
	}
	if len(out.again) > 0 {
		out.err = fmt.Errorf("OpenSearch did not do %d of %d operations (%d %s %s)", len(out.again), len(ops), last.Status, last.Error.Type, last.Error.Reason)
	}
	if len(doubtful) > 0 && !taken {
		c.doubt(ctx, doubtful, &out)
	}
	return out
}

// doubt keeps operations for later that were refused, if the index takes no other one either, or
// not even a sample of all fields.
func (c *client) doubt(ctx context.Context, doubtful map[int]op, out *outcome) {
	err := c.probe(ctx)
	if err == nil {
		err = c.fits(ctx)
	}
	if err == nil {
		return
	}
	for _, which := range slices.Sorted(maps.Keys(doubtful)) {
		out.again = append(out.again, doubtful[which])
		delete(out.refused, which)
	}
	out.err = fmt.Errorf("the index takes nothing now: %w", err)
}

// probeID is the id of a document that is never there.
const probeID = "millrace:probe"

// probe asks the index to delete a document that is not there. It returns nil if the index does so.
func (c *client) probe(ctx context.Context) error {
	lines, err := operation(c.opts.Index, probeID, 1, nil)
	if err != nil {
		return err
	}
	items, err := c.send(ctx, []op{{lines: lines}})
	if err == nil && !items[0].done() {
		err = fmt.Errorf("%d %s: %s", items[0].Status, items[0].Error.Type, items[0].Error.Reason)
	}
	return err
}

// send sends operations in one request, and returns the result of each.
func (c *client) send(ctx context.Context, ops []op) ([]result, error) {
	var body bytes.Buffer
	for _, o := range ops {
		body.Write(o.lines)
	}
	var answer struct {
		Items []map[string]result `json:"items"`
	}
	if err := c.ask(ctx, http.MethodPost, "/_bulk", "application/x-ndjson", body.Bytes(), &answer); err != nil {
		return nil, err
	}
	if len(answer.Items) != len(ops) {
		return nil, fmt.Errorf("OpenSearch answered for %d of %d operations", len(answer.Items), len(ops))
	}
	out := make([]result, len(ops))
	for i, item := range answer.Items {
		for _, r := range item {
			out[i] = r
		}
	}
	return out, nil
}

// halves sends the operations in two requests. An operation that is refused alone is refused for
// good, unless nothing is taken.
func (c *client) halves(ctx context.Context, ops []op, why error) outcome {
	if len(ops) == 1 {
		out := outcome{refused: map[int]error{ops[0].which: why}}
		c.doubt(ctx, map[int]op{ops[0].which: ops[0]}, &out)
		return out
	}
	out := outcome{refused: map[int]error{}}
	for _, half := range [][]op{ops[:len(ops)/2], ops[len(ops)/2:]} {
		if out.err != nil { // the index is away: what comes now would fare alike
			out.again = append(out.again, half...)
			continue
		}
		h := c.bulk(ctx, half)
		out.done, out.again, out.err = out.done+h.done, append(out.again, h.again...), h.err
		maps.Copy(out.refused, h.refused)
	}
	return out
}
