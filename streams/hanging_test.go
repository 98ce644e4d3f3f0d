package streams

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"

	"millrace/topics"
)

// What hangs ends as its coordinator says, if that speaks of it; else nothing may be lost; and what
// is another program's, or will be ended, is left alone.
func TestTheVerdictOnAHangingTransaction(t *testing.T) {
	const id = "millrace-dedupe-x"
	out := topics.Unique().Name
	var holds kadm.TopicsSet
	holds.Add(out, 3)
	for name, c := range map[string]struct {
		topic       string
		said        *kadm.DescribedTransaction
		end, commit bool
	}{
		"committed":                 {out, &kadm.DescribedTransaction{TxnID: id, State: "CompleteCommit", ProducerEpoch: 8}, true, true},
		"committed offsets":         {offsetsTopic, &kadm.DescribedTransaction{TxnID: id, State: "CompleteCommit", ProducerEpoch: 8}, true, true},
		"committed, epochs stay":    {out, &kadm.DescribedTransaction{TxnID: id, State: "CompleteCommit", ProducerEpoch: 7}, true, true},
		"aborted":                   {out, &kadm.DescribedTransaction{TxnID: id, State: "CompleteAbort", ProducerEpoch: 9}, true, false},
		"aborted offsets":           {offsetsTopic, &kadm.DescribedTransaction{TxnID: id, State: "CompleteAbort", ProducerEpoch: 8}, true, false},
		"aborted by the next":       {out, &kadm.DescribedTransaction{TxnID: id, State: "Empty", ProducerEpoch: 12}, true, false},
		"a later one":               {out, &kadm.DescribedTransaction{TxnID: id, State: "CompleteAbort", ProducerEpoch: 12}, true, true},
		"offsets, a later one":      {offsetsTopic, &kadm.DescribedTransaction{TxnID: id, State: "CompleteCommit", ProducerEpoch: 12}, true, false},
		"a later one goes on":       {out, &kadm.DescribedTransaction{TxnID: id, State: "Ongoing", ProducerEpoch: 12}, true, true},
		"goes on":                   {out, &kadm.DescribedTransaction{TxnID: id, State: "Ongoing", ProducerEpoch: 7, Topics: holds}, false, false},
		"is being ended":            {out, &kadm.DescribedTransaction{TxnID: id, State: "PrepareAbort", ProducerEpoch: 8, Topics: holds}, false, false},
		"of another group":          {out, &kadm.DescribedTransaction{TxnID: "millrace-other-x", State: "CompleteAbort", ProducerEpoch: 8}, false, false},
		"of another program":        {offsetsTopic, &kadm.DescribedTransaction{TxnID: "shop", State: "CompleteAbort", ProducerEpoch: 8}, false, false},
		"forgotten":                 {out, nil, true, true},
		"offsets of nobody we know": {offsetsTopic, nil, false, false},
	} {
		h := hanging{topic: c.topic, partition: 3, producer: 5, epoch: 7}
		if end, commit := h.verdict("dedupe", c.said); end != c.end || commit != c.commit {
			t.Errorf("%s: ended %t, committed %t", name, end, commit)
		}
	}
}
