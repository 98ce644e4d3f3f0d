package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"go.yaml.in/yaml/v3"

	"millrace/ops/simweb"
)

// web is a simweb in a process of its own: its cost and its memory are nobody's.
type web struct {
	cmd         *exec.Cmd
	addr, admin string
	seeds       []string
}

// startWeb serves the profile fast with a number of hosts and a latency.
func (b *bench) startWeb(ctx context.Context, hosts int, latency time.Duration) (*web, error) {
	p, err := simweb.Load("fast")
	if err != nil {
		return nil, err
	}
	p.Hosts, p.Latency.Median = hosts, latency
	text, err := yaml.Marshal(p)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(b.tmp, "web.yaml")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return nil, err
	}
	w := &web{cmd: exec.CommandContext(ctx, b.tools.simweb, "serve", "--profile", file, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0")}
	said, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.cmd.Stderr = b.progress
	if err := w.cmd.Start(); err != nil {
		return nil, err
	}
	if err := w.listen(said); err != nil {
		return nil, errors.Join(err, w.stop())
	}
	world, err := simweb.Build(p, 1, simweb.DefaultOptions())
	if err != nil {
		return nil, errors.Join(err, w.stop())
	}
	w.seeds = world.Seeds(hosts, "")
	return w, nil
}

// listen reads where it serves from what it says at the start.
func (w *web) listen(said io.Reader) error {
	lines := bufio.NewScanner(said)
	for w.admin == "" {
		if !lines.Scan() {
			return fmt.Errorf("simweb did not say where it listens: %w", errors.Join(lines.Err(), io.ErrUnexpectedEOF))
		}
		_, rest, _ := strings.Cut(lines.Text(), "http://")
		at := strings.TrimSuffix(strings.Fields(rest + " ?")[0], "/report")
		if w.addr == "" {
			w.addr = at
			continue
		}
		w.admin = at
	}
	go io.Copy(io.Discard, said) // ends with the process
	return nil
}

// reset forgets all requests.
func (w *web) reset(ctx context.Context) error {
	_, err := w.ask(ctx, http.MethodPost, "/reset")
	return err
}

// judge reports on the requests since reset.
func (w *web) judge(ctx context.Context, delay time.Duration) (*simweb.Report, error) {
	q := url.Values{"delay": {delay.String()}, "repeat": {"0s"}, "agent": {agent}, "seeds": {strconv.Itoa(len(w.seeds))}, "depth": {"-1"}}
	body, err := w.ask(ctx, http.MethodGet, "/report?"+q.Encode())
	if err != nil {
		return nil, err
	}
	r := &simweb.Report{}
	return r, json.Unmarshal(body, r)
}

func (w *web) ask(ctx context.Context, method, path string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+w.admin+path, nil)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode/100 != 2 {
		err = fmt.Errorf("simweb: %s: %s", res.Status, body)
	}
	return body, err
}

// stop ends it; that it was asked to is no failure.
func (w *web) stop() error {
	if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	var exit *exec.ExitError
	if err := w.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		return err
	}
	return nil
}
