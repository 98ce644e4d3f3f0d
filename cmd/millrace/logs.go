package main

import (
	"io"
	"log"
	"log/slog"
)

// logger returns the log of this process, on w. What packages of others write to Go's own log goes
// there, too: net/http tells of answers that nobody asked for, with bytes of a stranger.
func (c *call) logger(w io.Writer) (*slog.Logger, error) {
	l, err := c.newLogger(w)
	if err == nil {
		log.SetFlags(0)
		log.SetOutput(others{l})
	}
	return l, err
}

// others is where Go's own log goes.
type others struct{ log *slog.Logger }

// maxOthers bounds a line (bytes) of a package of others.
const maxOthers = 300

// Write implements io.Writer.
func (o others) Write(line []byte) (int, error) {
	o.log.Debug("a library says", "line", string(line[:min(len(line), maxOthers)]))
	return len(line), nil
}

// newLogger makes a log as the settings say.
func (c *call) newLogger(w io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.cfg.LogLevel)); err != nil {
		return nil, misuse("log-level: %q is none of debug, info, warn, error", c.cfg.LogLevel)
	}
	opts := &slog.HandlerOptions{Level: level}
	switch c.cfg.LogFormat {
	case "text":
		return slog.New(slog.NewTextHandler(w, opts)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, opts)), nil
	}
	return nil, misuse("log-format: %q is none of text, json", c.cfg.LogFormat)
}
