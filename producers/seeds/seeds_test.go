package seeds

import (
	"context"
	"strings"
	"testing"

	"millrace/schema"
)

type log struct{ records []*schema.Discovered }

func (l *log) Send(_ context.Context, ms ...*schema.Discovered) error {
	l.records = append(l.records, ms...)
	return nil
}
func (l *log) Wait(context.Context) error { return nil }

func TestAListBecomesOneRecordAHostAndBadLinesAreReported(t *testing.T) {
	c, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		t.Fatal(err)
	}
	list := "# news\nhttp://a.test/1\n\n  a.test/2  \nftp://a.test/\nhttp://b.test\nhttp://a.test/3#x\n"
	out := &log{}
	p := New(out)
	var bad []int
	err = Read(c, strings.NewReader(list), func(s Seed) error { return p.Add(t.Context(), s) }, func(n int, _ error) { bad = append(bad, n) })
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(bad) != 1 || bad[0] != 5 {
		t.Errorf("bad lines %v, want line 5", bad)
	}
	if p.Sent != 4 || len(out.records) != 2 {
		t.Fatalf("%d URLs in %d records", p.Sent, len(out.records))
	}
	var urls []string
	for _, r := range out.records {
		for _, i := range r.GetAdd().Items {
			urls = append(urls, r.Host+" "+i.Url)
		}
	}
	want := "test.a http://a.test/1|test.a https://a.test/2|test.a http://a.test/3|test.b http://b.test/"
	marked := 0
	err = Read(c, strings.NewReader("\ufeffhttp://a.test/1\r\nhttp://a.test/2\r\n"), func(Seed) error { marked++; return nil }, func(n int, err error) { t.Error(n, err) })
	if err != nil || marked != 2 {
		t.Errorf("%d URLs of a list with a mark of byte order, %v", marked, err)
	}
	if got := strings.Join(urls, "|"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func FuzzRead(f *testing.F) {
	c, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		f.Fatal(err)
	}
	f.Add("http://a.test/\n#\n")
	f.Fuzz(func(t *testing.T, list string) {
		_ = Read(c, strings.NewReader(list), func(s Seed) error {
			if s.URL.IsZero() {
				t.Error("an empty seed")
			}
			return nil
		}, func(int, error) {})
	})
}
