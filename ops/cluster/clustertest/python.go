package clustertest

import (
	"os"
	"testing"
)

// PythonVar names a Python that has the packages of docs/examples/requirements.txt.
const PythonVar = "MILLRACE_TEST_PYTHON"

// Python returns the path of the interpreter.
func Python(t testing.TB) string {
	t.Helper()
	if v := os.Getenv(PythonVar); v != "" {
		return v
	}
	const how = "set %s to a Python that has the packages of docs/examples/requirements.txt"
	if required() {
		t.Fatalf(how, PythonVar)
	}
	t.Skipf(how, PythonVar)
	return ""
}
