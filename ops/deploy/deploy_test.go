package deploy

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"go.yaml.in/yaml/v3"

	"millrace/ops/watch"
	"millrace/topics"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestRulesNameMetricsThatExist: an alert on a metric that nobody has never fires.
func TestRulesNameMetricsThatExist(t *testing.T) {
	var code strings.Builder
	sources, err := filepath.Glob("../metrics/*.go")
	if err != nil || len(sources) == 0 {
		t.Fatal("no sources of metrics", err)
	}
	for _, s := range sources {
		code.WriteString(read(t, s))
	}
	found := 0
	for _, file := range []string{"prometheus/alerts.yaml", "kubernetes/keda.yaml"} {
		text := read(t, file)
		for _, m := range regexp.MustCompile(`millrace_([a-z_]+)`).FindAllStringSubmatch(text, -1) {
			if found++; !strings.Contains(code.String(), `"`+m[1]+`"`) {
				t.Errorf("%s: no metric millrace_%s", file, m[1])
			}
		}
		for _, m := range regexp.MustCompile(`state="([a-z]+)"`).FindAllStringSubmatch(text, -1) {
			if !slices.Contains(watch.States(), watch.State(m[1])) {
				t.Errorf("%s: no state %s of a group", file, m[1])
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d metrics found", found)
	}
	var rules struct {
		Groups []struct {
			Rules []struct {
				Alert       string
				Expr        string
				Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, "prometheus/alerts.yaml")), &rules); err != nil || len(rules.Groups) == 0 {
		t.Fatal("rules:", err)
	}
	for _, r := range rules.Groups[0].Rules {
		if r.Alert == "" || r.Expr == "" || r.Annotations["summary"] == "" {
			t.Errorf("a rule lacks something: %+v", r)
		}
	}
}

// TestEveryGroupHasAWorkload: a group that is forgotten stops the pipeline.
func TestEveryGroupHasAWorkload(t *testing.T) {
	var runs []string
	for _, file := range []string{"kubernetes/groups.yaml", "kubernetes/index.yaml"} {
		for dec := yaml.NewDecoder(bytes.NewReader([]byte(read(t, file)))); ; {
			var o struct {
				Kind string
				Spec struct {
					Template struct {
						Spec struct {
							Containers []struct{ Args []string }
						}
					}
				}
			}
			if err := dec.Decode(&o); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(file, err)
			}
			for _, c := range o.Spec.Template.Spec.Containers {
				runs = append(runs, c.Args[1])
			}
		}
	}
	slices.Sort(runs)
	if want := slices.Sorted(slices.Values(topics.GroupNames())); !slices.Equal(runs, want) {
		t.Errorf("workloads %v, groups %v", runs, want)
	}
}
