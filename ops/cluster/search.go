//go:build linux

package cluster

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// searchNode is the one OpenSearch node, without TLS and without users.
type searchNode struct {
	c    *Cluster
	home string
}

// String names the node.
func (s searchNode) String() string    { return "search 1" }
func (s searchNode) listens() []string { return []string{s.c.searchAddr(), s.c.searchPeerAddr()} }

func (s searchNode) command(ctx context.Context) ([]string, error) {
	product, err := s.unpacked(ctx)
	if err != nil {
		return nil, err
	}
	conf := filepath.Join(s.home, "config")
	if err := os.MkdirAll(conf, 0o755); err != nil {
		return nil, err
	}
	err = render(conf, "opensearch.yml", map[string]any{
		"Port": s.c.PortBase + searchPort, "PeerPort": s.c.PortBase + searchPeerPort, "Home": s.home,
	})
	if err := errors.Join(err, render(conf, "log4j2.properties", nil)); err != nil {
		return nil, err
	}
	options := []string{
		"-Dopensearch.path.home=" + product, "-Dopensearch.path.conf=" + conf, "-Dopensearch.distribution.type=tar",
		"-Djava.security.manager=allow", "-Djava.awt.headless=true", "-Dlog4j2.disable.jmx=true",
		// Without its native library it neither refuses to run as root nor locks memory.
		"-Djna.nosys=true", "-Djna.noclasspath=true", "-Dio.netty.noUnsafe=true",
	}
	return java("-Xmx384m", s.home, filepath.Join(product, "lib", "*"), options, "org.opensearch.bootstrap.OpenSearch"), nil
}

// unpacked returns the folder of OpenSearch's own minimal distribution, which Maven unpacks into
// the user's cache once for each version of conf/opensearch.pom.xml.
func (s searchNode) unpacked(ctx context.Context) (string, error) {
	pom, err := conf.ReadFile("conf/opensearch.pom.xml")
	if err != nil {
		return "", err
	}
	folder, err := jarFolder()
	if err != nil {
		return "", err
	}
	home := filepath.Join(folder, fmt.Sprintf("opensearch-%x", sha256.Sum256(pom)))
	if _, err := os.Stat(home); err == nil {
		return home, nil
	}
	s.c.log.Info("unpacking", "server", s.String())
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(folder, "unpack-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	if err := maven(ctx, pom, mavenUnpack, "-DoutputDirectory="+tmp, "-DmarkersDirectory="+filepath.Join(tmp, "markers")); err != nil {
		return "", fmt.Errorf("cluster: opensearch: %w", err)
	}
	found, err := filepath.Glob(filepath.Join(tmp, "opensearch-*"))
	if err != nil || len(found) != 1 {
		return "", fmt.Errorf("cluster: the zip of opensearch holds %q, want one folder", found)
	}
	if err := os.MkdirAll(filepath.Join(found[0], "plugins"), 0o755); err != nil {
		return "", err
	}
	err = os.Rename(found[0], home)
	if _, there := os.Stat(home); there == nil {
		err = nil // another process was faster
	}
	return home, err
}

// ready asks for the health of its cluster: green or yellow.
func (s searchNode) ready(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.c.searchAddr()+"/_cat/health?h=status", nil)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	if state := strings.TrimSpace(string(text)); err == nil && state != "green" && state != "yellow" {
		err = fmt.Errorf("health: %q", state)
	}
	return err
}
