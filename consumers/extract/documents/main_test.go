package documents

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// compiled is where the tests of a run keep the reader of PDF.
var compiled string

func TestMain(m *testing.M) {
	ServePDFs()
	dir, err := os.MkdirTemp("", "pdf")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	compiled = dir
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir)
		os.Exit(code)
	}))
}
