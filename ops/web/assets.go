package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"time"
)

//go:embed assets
var assetFiles embed.FS

// asset is a file that pages load. Its version is in its address, so browsers may keep it for ever.
type asset struct {
	body    []byte
	version string
}

func loadAssets() (map[string]asset, error) {
	entries, err := assetFiles.ReadDir("assets")
	if err != nil {
		return nil, err
	}
	all := map[string]asset{}
	for _, e := range entries {
		body, err := assetFiles.ReadFile(path.Join("assets", e.Name()))
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(body)
		all[e.Name()] = asset{body, hex.EncodeToString(sum[:6])}
	}
	return all, nil
}

// files serves the assets, robots.txt, the callbacks for hubs and the endpoint of IndexNow.
type files struct {
	assets map[string]asset
	websub http.Handler // nil: no hub is asked for anything
	taking http.Handler // of announced URLs; nil: it is off
}

func (f *files) asset(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	a, ok := f.assets[name]
	if !ok {
		return refuse(http.StatusNotFound, "there is nothing at this address")
	}
	w.Header().Set("Etag", `"`+a.version+`"`)
	if r.URL.Query().Get("v") == a.version {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		w.Header().Set("Cache-Control", "no-cache")
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(a.body))
	return nil
}
