// Package miniweb turns Debian documentation packages into web sites on loopback:
// real pages by many authors, to crawl where there is no network. It reads the
// list of hosts of the shared data set, gets the packages, serves their files
// under the hosts' names on one port, records every request, and walks the links
// by itself, so that a crawl can be compared with something.
//
// It imports nothing of millrace: what it says must not be computed by the code
// that it judges.
//
// Caveats: needs apt-get and dpkg-deb, and a package archive; hosts whose folders
// have no index page get a plain list of their files.
package miniweb

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Host is one site of the list.
type Host struct {
	Name   string   `json:"host"`
	Mounts []Mount  `json:"mounts"`
	Seeds  []string `json:"seeds"`
	Pages  int      `json:"reachable_from_seeds"`
}

// Mount serves a folder of a package under a path.
type Mount struct {
	Package string `json:"package"`
	Docroot string `json:"docroot"`
	Path    string `json:"mount"`

	dir string
}

// Load reads the list and makes the named hosts ready: packages that are not in
// cache yet are fetched and unpacked there.
func Load(ctx context.Context, list, cache string, names ...string) ([]Host, error) {
	b, err := os.ReadFile(list)
	if err != nil {
		return nil, err
	}
	var all, hosts []Host
	if err := json.Unmarshal(b, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", list, err)
	}
	for _, h := range all {
		if len(names) > 0 && !slices.Contains(names, h.Name) {
			continue
		}
		for i := range h.Mounts {
			if err := h.Mounts[i].unpack(ctx, cache); err != nil {
				return nil, fmt.Errorf("host %s: %w", h.Name, err)
			}
		}
		hosts = append(hosts, h)
	}
	if len(hosts) == 0 {
		return nil, fmt.Errorf("%s has none of the hosts %v", list, names)
	}
	return hosts, nil
}

// Unpack fetches a package that has the folder root, once, into cache/NAME.
func Unpack(ctx context.Context, cache, name, root string) error {
	return (&Mount{Package: name, Docroot: root}).unpack(ctx, cache)
}

// unpack fetches a package, once, into cache/PACKAGE.
func (m *Mount) unpack(ctx context.Context, cache string) error {
	root := filepath.Join(cache, m.Package)
	m.dir = filepath.Join(root, m.Docroot)
	if _, err := os.Stat(m.dir); err == nil {
		return nil
	}
	debs := filepath.Join(cache, "debs")
	if err := os.MkdirAll(debs, 0o755); err != nil {
		return err
	}
	if err := run(ctx, debs, "apt-get", "download", "-q", m.Package); err != nil {
		return err
	}
	found, err := filepath.Glob(filepath.Join(debs, m.Package+"_*.deb"))
	if err != nil || len(found) == 0 {
		return fmt.Errorf("package %s was not downloaded: %w", m.Package, err)
	}
	if err := run(ctx, debs, "dpkg-deb", "-x", found[0], root); err != nil {
		return err
	}
	if _, err := os.Stat(m.dir); err != nil {
		return fmt.Errorf("package %s has no %s", m.Package, m.Docroot)
	}
	return nil
}

func run(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, out)
	}
	return nil
}
