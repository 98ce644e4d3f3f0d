package dedupe

import (
	"fmt"
	"testing"

	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// docs.extracted is created anew and the store kept. Its first records have
// the offsets of old ones.
func TestTheFirstRecordsOfANewLogAreNotTakenForOldOnes(t *testing.T) {
	s := newScene(t, nil)
	at := func(i int) string { return fmt.Sprintf("com.example.www:https/%03d", i) }
	for i := range 100 {
		s.come(page(at(i), fmt.Sprint("old ", i), 1))
	}
	s.w.in, s.w.committed = nil, 0
	s.w.link.Raised++
	if err := s.w.start(); err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		s.want(fmt.Sprintf("+https/%03d=new %d/", 500+i, i), page(at(500+i), fmt.Sprint("new ", i), 1))
	}
	s.want("", page(at(7), "old 7", 2))
	s.want("+https/007=other/", page(at(7), "other", 3))
	if n := s.w.link.Drops()["again"]; n != 0 {
		t.Errorf("%d records were taken for old ones", n)
	}
	if err := s.w.checkDigest(s.w.out); err != nil {
		t.Error(err)
	}
}

// docs.unique is created anew too: it is empty, whatever the state says.
func TestOnANewUniqueTopicEveryPageIsPublishedWhenItComes(t *testing.T) {
	s := newScene(t, nil)
	s.want("+https/a=x/S +http/a=y/P", page(short, "x", 1), page(long, "x", 1), page(plain, "y", 1))
	kafka := streamstest.Options(t)
	restart := func() {
		t.Helper()
		log, err := streams.NewLog(kafka)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(log.Close)
		s.w.link.Reader = log
		if err := s.w.start(); err != nil {
			t.Fatal(err)
		}
	}
	restart() // now the state knows the topic
	s.want("", page(short, "x", 2))
	streamstest.Remake(t, kafka, topics.Unique().Name)
	restart()
	from := len(s.w.out)
	s.want("+https/a=x/S", page(short, "x", 3))
	s.want("", page(short, "x", 4))
	s.want("", lost(plain, 2)) // no tombstone of what is not there
	restart()
	s.want("+https/aaaa=x/L -https/a", lost(short, 5))
	if err := s.w.checkDigest(s.w.out[from:]); err != nil {
		t.Error(err)
	}
}
