package page

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"time"
)

// TestThePageAloneDecidesWhatIsRead protects I8: the same bytes give the same result on one
// processor and on eight, alone and beside others.
func TestThePageAloneDecidesWhatIsRead(t *testing.T) {
	files, err := filepath.Glob("../testdata/*.txtar")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d pages (%v)", len(files), err)
	}
	x := newExtractor(t)
	read := func(file string) Result {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
		}
		return x.Extract(Input{URL: "https://www.example.com/2024/05/a", ContentType: "text/html", Body: b, FetchedAt: time.Unix(1_760_000_000, 0)})
	}
	want := map[string]Result{}
	for _, f := range files {
		want[f] = read(f)
	}
	for _, procs := range []int{1, 8} {
		before := runtime.GOMAXPROCS(procs)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for _, f := range files {
					if got := read(f); !reflect.DeepEqual(got, want[f]) {
						t.Errorf("%d processors: %s was read in another way", procs, f)
					}
				}
			})
		}
		all.Wait()
		runtime.GOMAXPROCS(before)
	}
}
