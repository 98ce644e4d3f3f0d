//go:build linux

package cluster

import (
	"context"
	"crypto/sha256"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/template"
)

//go:embed conf
var conf embed.FS

// mavenPlugin is named with its version, or mvn would take whatever its own
// version prefers.
const mavenPlugin = "org.apache.maven.plugins:maven-dependency-plugin:2.8:build-classpath"

// java returns the command line of class, up to its arguments.
func java(heap, home, classpath string, options []string, class string) []string {
	line := []string{
		javaPath(), heap,
		// For servers that live for minutes on a machine they share: with the
		// first compiler only and the plain collector a broker and a node are up
		// after 7 s of CPU time, with Java's defaults after 13 s.
		"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
		"-XX:-UsePerfData", "-XX:+ExitOnOutOfMemoryError",
		"-Djava.net.preferIPv4Stack=true",
		"-Djava.io.tmpdir=" + filepath.Join(home, "tmp"),
	}
	line = append(line, options...)
	return append(line, "-cp", classpath, class)
}

func javaPath() string {
	if home := os.Getenv("JAVA_HOME"); home != "" {
		return filepath.Join(home, "bin", "java")
	}
	return "java"
}

// checkJava refuses what the servers would refuse later, in more words.
func checkJava(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, javaPath(), "-version").CombinedOutput()
	if err != nil {
		return fmt.Errorf("cluster: Java 17 is needed (set JAVA_HOME): %w", err)
	}
	if !strings.Contains(string(out), `version "17`) {
		return fmt.Errorf("cluster: Java 17 is needed (set JAVA_HOME), %s is %q", javaPath(), out)
	}
	return nil
}

// classpath returns the jars of conf/NAME.pom.xml in Maven's local repository.
// Maven is asked once for each version of that file; then the answer is read
// from the user's cache, as long as all its jars are there.
func (c *Cluster) classpath(ctx context.Context, name string) (string, error) {
	pom, err := conf.ReadFile("conf/" + name + ".pom.xml")
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, "millrace", "jars")
	known := filepath.Join(folder, fmt.Sprintf("%s-%x", name, sha256.Sum256(pom)))
	if b, err := os.ReadFile(known); err == nil && allExist(string(b)) {
		return string(b), nil
	}
	c.log.Info("resolving jars", "server", name)
	answer, err := askMaven(ctx, pom)
	if err != nil {
		return "", fmt.Errorf("cluster: jars of %s: %w", name, err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	return answer, writeFile(known, []byte(answer))
}

func allExist(classpath string) bool {
	for jar := range strings.SplitSeq(classpath, ":") {
		if _, err := os.Stat(jar); err != nil {
			return false
		}
	}
	return true
}

func askMaven(ctx context.Context, pom []byte) (string, error) {
	dir, err := os.MkdirTemp("", "millrace-jars-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "pom.xml"), filepath.Join(dir, "classpath")
	if err := os.WriteFile(in, pom, 0o644); err != nil {
		return "", err
	}
	mvn := exec.CommandContext(ctx, "mvn", "-q", "-B", "-f", in, mavenPlugin, "-DincludeScope=runtime", "-Dmdep.outputFile="+out)
	if text, err := mvn.CombinedOutput(); err != nil {
		return "", fmt.Errorf("mvn: %w\n%s", err, text)
	}
	b, err := os.ReadFile(out)
	return strings.TrimSpace(string(b)), err
}

// render writes conf/NAME, a template, into the folder home.
func render(home, name string, data any) error {
	t, err := template.ParseFS(conf, "conf/"+name)
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		return err
	}
	return writeFile(filepath.Join(home, name), []byte(b.String()))
}

// writeFile replaces a file as a whole: readers see the old one or the new one.
func writeFile(name string, b []byte) error {
	tmp := fmt.Sprintf("%s.%d.tmp", name, os.Getpid())
	if err := os.WriteFile(tmp, b, 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, name)
}
