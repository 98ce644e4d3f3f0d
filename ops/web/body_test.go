package web

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// null is no request to pause everything, and errors do not speak of our types.
func TestABodyMustBeAnObject(t *testing.T) {
	for text, want := range map[string]string{
		`null`: "must be an object", `[]`: "must be an object", `"x"`: "must be an object", `{"host":7}`: `"host" cannot be a number`,
		`{"hots":"a"}`: `unknown field "hots"`, `{`: "unexpected EOF", `{} {}`: "one JSON object",
	} {
		r := httptest.NewRequest("POST", "/", strings.NewReader(text))
		r.Header.Set("Content-Type", "application/json")
		err := body(r, &PauseCall{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "Go ") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
