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
	"text/template"

	"github.com/Masterminds/sprig/v3"
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
	for _, file := range []string{"prometheus/alerts.yaml", "grafana/millrace.json", "helm/millrace/templates/scale.yaml"} {
		text := read(t, file)
		for _, m := range regexp.MustCompile(`millrace_([a-z_]+)`).FindAllStringSubmatch(text, -1) {
			if found++; !strings.Contains(code.String(), `"`+m[1]+`"`) {
				t.Errorf("%s: no metric millrace_%s", file, m[1])
			}
		}
		for _, m := range regexp.MustCompile(`state=~?\\?"([a-z_|]+)`).FindAllStringSubmatch(text, -1) {
			for state := range strings.SplitSeq(m[1], "|") {
				if !slices.Contains(watch.States(), watch.State(state)) {
					t.Errorf("%s: no state %s of a group", file, state)
				}
			}
		}
	}
	if found < 15 {
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
	for _, o := range rendered(t, nil) {
		for _, c := range o.Spec.Template.Spec.Containers {
			runs = append(runs, c.Args[1])
			if !slices.Contains(c.Args, "--config") || c.Image != "millrace:0.1" || len(c.EnvFrom) != 0 {
				t.Errorf("%s: %+v", o.Metadata.Name, c)
			}
		}
	}
	slices.Sort(runs)
	if want := slices.Sorted(slices.Values(topics.GroupNames())); !slices.Equal(runs, want) {
		t.Errorf("workloads %v, groups of topics.Groups %v: each needs a line under groups in ops/deploy/helm/millrace/values.yaml", runs, want)
	}
}

// TestTheChartFollowsItsValues: the objects of the chart have the values that an operator sets.
func TestTheChartFollowsItsValues(t *testing.T) {
	objects := rendered(t, func(values map[string]any) {
		values["secret"] = "millrace-secrets"
		values["settings"].(map[string]any)["brokers"] = []string{"one:9092", "two:9092"}
		values["scale"].(map[string]any)["enabled"] = true
		values["taps"] = []any{map[string]any{"name": "documents", "format": "parquet", "storage": "9Gi"}}
	})
	find := func(kind, name string) object {
		i := slices.IndexFunc(objects, func(o object) bool { return o.Kind == kind && o.Metadata.Name == name })
		if i < 0 {
			t.Fatalf("no %s %s", kind, name)
		}
		return objects[i]
	}
	var settings struct{ Brokers []string }
	if err := yaml.Unmarshal([]byte(find("ConfigMap", "crawl").Data["millrace.yaml"]), &settings); err != nil || !slices.Equal(settings.Brokers, []string{"one:9092", "two:9092"}) {
		t.Errorf("settings %+v, %v", settings, err)
	}
	if find("Deployment", "crawl-extract").Spec.Replicas != nil || *find("Deployment", "crawl-fetch").Spec.Replicas != 2 {
		t.Error("a group that KEDA scales has no number of its own, any other has")
	}
	if most := find("ScaledObject", "crawl-extract").Spec.MaxReplicaCount; most != 16 {
		t.Errorf("at most %d processes of extract", most)
	}
	tap := find("StatefulSet", "crawl-tap-documents").Spec.Template.Spec.Containers[0]
	if !slices.Equal(tap.Args[:2], []string{"consume", "parquet"}) || len(tap.EnvFrom) != 1 {
		t.Errorf("the tap: %+v", tap)
	}
	for _, group := range append(topics.GroupNames(), "schedule") {
		find("PodDisruptionBudget", "crawl-"+group)
	}
}

// object holds the fields of a Kubernetes object that the tests read.
type object struct {
	Kind     string
	Metadata struct{ Name string }
	Data     map[string]string
	Spec     struct {
		Replicas        *int
		MaxReplicaCount int `yaml:"maxReplicaCount"`
		Template        struct {
			Spec struct {
				Containers []struct {
					Image   string
					Args    []string
					EnvFrom []any `yaml:"envFrom"`
				}
			}
		}
	}
}

// rendered returns the objects that the chart makes of its values, after change, for a release
// called crawl: as Helm does it, with the functions of sprig, include and toYaml.
func rendered(t *testing.T, change func(map[string]any)) []object {
	t.Helper()
	const chart = "helm/millrace/"
	values := map[string]any{}
	if err := yaml.Unmarshal([]byte(read(t, chart+"values.yaml")), &values); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(values)
	}
	all := template.New("").Funcs(sprig.TxtFuncMap())
	all.Funcs(template.FuncMap{
		"include": func(name string, data any) (string, error) {
			var b strings.Builder
			err := all.ExecuteTemplate(&b, name, data)
			return b.String(), err
		},
		"toYaml": func(v any) (string, error) {
			b, err := yaml.Marshal(v)
			return strings.TrimSuffix(string(b), "\n"), err
		},
	})
	if _, err := all.ParseGlob(chart + "templates/*"); err != nil {
		t.Fatal(err)
	}
	var out []object
	for _, tpl := range all.Templates() {
		if !strings.HasSuffix(tpl.Name(), ".yaml") {
			continue
		}
		var b bytes.Buffer
		if err := tpl.Execute(&b, map[string]any{"Values": values, "Release": map[string]any{"Name": "crawl"}}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "<no value>") {
			t.Fatalf("%s names a value that there is not", tpl.Name())
		}
		for dec := yaml.NewDecoder(&b); ; {
			var o object
			if err := dec.Decode(&o); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", tpl.Name(), err)
			}
			if o.Kind != "" {
				out = append(out, o)
			}
		}
	}
	return out
}
