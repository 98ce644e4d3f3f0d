package registry

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"
	"go.uber.org/goleak"

	"millrace/topics"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// registered is a registry in this process, with the files of the topics in it.
func registered(t *testing.T) (o Options, list []Subject) {
	t.Helper()
	r := srfake.New()
	t.Cleanup(r.Close)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	o = Options{URL: r.URL()}
	list, err := Register(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return o, list
}

// TestEveryTopicIsFoundInTheRegistry: a reader that knows the topic's name finds the file with its
// message, and the files that it imports.
func TestEveryTopicIsFoundInTheRegistry(t *testing.T) {
	o, list := registered(t)
	client, err := sr.NewClient(sr.URLs(o.URL))
	if err != nil {
		t.Fatal(err)
	}
	for _, topic := range topics.All() {
		i := slices.IndexFunc(list, func(s Subject) bool { return s.Name == topic.Name+"-value" })
		if topic.Message == "bytes" {
			if i >= 0 {
				t.Errorf("%s has a schema", topic.Name)
			}
			continue
		}
		if i < 0 || list[i].Message != topic.Message {
			t.Errorf("%s is not registered: %+v", topic.Name, list)
			continue
		}
		s, err := client.SchemaByVersion(t.Context(), topic.Name+"-value", -1)
		message := strings.TrimPrefix(topic.Message, "millrace.v1.")
		if err != nil || s.Type != sr.TypeProtobuf || !strings.Contains(s.Schema.Schema, "\nmessage "+message+" {") {
			t.Errorf("%s: %v, %v", topic.Name, s.Type, err)
		}
		for _, ref := range s.References {
			file, err := client.SchemaByVersion(t.Context(), ref.Subject, ref.Version)
			if err != nil || !strings.Contains(s.Schema.Schema, fmt.Sprintf("import %q", ref.Name)) || !strings.Contains(file.Schema.Schema, "package millrace.v1;") {
				t.Errorf("%s imports %s: %v", topic.Name, ref.Name, err)
			}
		}
		if imports := strings.Count(s.Schema.Schema, "\nimport "); imports != len(s.References) {
			t.Errorf("%s: %d imports, %d references", topic.Name, imports, len(s.References))
		}
	}
}

// TestRegisteringAgainChangesNothing: the same numbers, and no second version.
func TestRegisteringAgainChangesNothing(t *testing.T) {
	o, first := registered(t)
	second, err := Register(t.Context(), o)
	if err != nil || !slices.Equal(first, second) {
		t.Errorf("%v\n%v\n%v", err, first, second)
	}
	client, err := sr.NewClient(sr.URLs(o.URL))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range first {
		if v, err := client.SubjectVersions(t.Context(), s.Name); err != nil || len(v) != 1 {
			t.Errorf("%s: versions %v, %v", s.Name, v, err)
		}
	}
}

// TestARegistryThatRefusesIsNamed: the error has the subject and the registry's words, no password.
func TestARegistryThatRefusesIsNamed(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, word, ok := r.BasicAuth(); !ok || word != "geheim" {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"error_code":40101,"message":"who are you"}`)
			return
		}
		w.WriteHeader(http.StatusConflict)
		fmt.Fprint(w, `{"error_code":409,"message":"incompatible with an earlier schema"}`)
	}))
	defer srv.Close()
	defer http.DefaultClient.CloseIdleConnections()
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{URL: srv.URL, User: "me", Password: "geheim"}, "incompatible with an earlier schema"},
		{Options{URL: srv.URL, User: "me", Password: "geheim2"}, "who are you"},
		{Options{URL: "http://me:geheim@registry"}, "no name or password in the address"},
		{Options{URL: "http://me:ge%heim@registry"}, "no name or password in the address"},
		{Options{URL: "registry:8081"}, "is no address of a registry"},
		{Options{}, "name one with --to"},
		{Options{URL: srv.URL, Password: "geheim"}, "whose is it?"},
		{Options{URL: "http://127.0.0.1:1"}, "127.0.0.1:1"},
	} {
		_, err := Register(context.Background(), c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "heim") {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
}
