//go:build linux

package cluster

import (
	"context"
	"crypto/sha256"
	"embed"
	"fmt"
	"log/slog"
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
const (
	mavenPlugin = "org.apache.maven.plugins:maven-dependency-plugin:2.8:build-classpath"
	mavenUnpack = "org.apache.maven.plugins:maven-dependency-plugin:2.8:unpack-dependencies"
)

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

// Program returns the command line of a Java program of others, for tests that read the topics with
// it: class with its arguments, in the jars of conf/NAME.pom.xml (flink, connect). home is a folder
// of its own, heap an option such as -Xmx512m. What it logs goes to standard output.
func Program(ctx context.Context, name, heap, home, class string, args ...string) ([]string, error) {
	if err := checkJava(ctx); err != nil {
		return nil, err
	}
	jars, err := jarsOf(ctx, name, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(home, "tmp"), 0o755); err != nil {
		return nil, err
	}
	if err := render(home, "log4j2.xml", nil); err != nil {
		return nil, err
	}
	options := []string{"-Duser.home=" + home, "-Dlog4j2.configurationFile=" + filepath.Join(home, "log4j2.xml")}
	for _, p := range openPackages {
		options = append(options, "--add-opens=java.base/java."+p+"=ALL-UNNAMED")
	}
	return append(java(heap, home, jars, options, class), args...), nil
}

// openPackages are what Flink reflects upon, as its own scripts open them.
var openPackages = []string{"lang", "net", "io", "nio", "util", "time", "text", "lang.reflect", "util.concurrent"}

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

// jarFolder is the folder of the user's cache that keeps what Maven brought.
func jarFolder() (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "millrace", "jars"), err
}

// jarsOf returns the jars of conf/NAME.pom.xml in Maven's local repository.
// Maven is asked once for each version of that file; then the answer is read
// from the user's cache, as long as all its jars are there.
func jarsOf(ctx context.Context, name string, log *slog.Logger) (string, error) {
	pom, err := conf.ReadFile("conf/" + name + ".pom.xml")
	if err != nil {
		return "", err
	}
	folder, err := jarFolder()
	if err != nil {
		return "", err
	}
	known := filepath.Join(folder, fmt.Sprintf("%s-%x", name, sha256.Sum256(pom)))
	if b, err := os.ReadFile(known); err == nil && allExist(string(b)) {
		return string(b), nil
	}
	log.Info("resolving jars", "of", name)
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
	out := filepath.Join(dir, "classpath")
	if err := maven(ctx, pom, mavenPlugin, "-DincludeScope=runtime", "-Dmdep.outputFile="+out); err != nil {
		return "", err
	}
	b, err := os.ReadFile(out)
	return strings.TrimSpace(string(b)), err
}

// maven runs a goal of Maven on a pom.
func maven(ctx context.Context, pom []byte, goal string, options ...string) error {
	dir, err := os.MkdirTemp("", "millrace-pom-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	in := filepath.Join(dir, "pom.xml")
	if err := os.WriteFile(in, pom, 0o644); err != nil {
		return err
	}
	mvn := exec.CommandContext(ctx, "mvn", append([]string{"-q", "-B", "-f", in, goal}, options...)...)
	if text, err := mvn.CombinedOutput(); err != nil {
		return fmt.Errorf("mvn: %w\n%s", err, text)
	}
	return nil
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
