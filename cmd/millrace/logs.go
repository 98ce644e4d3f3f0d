package main

import (
	"io"
	"log/slog"
)

// logger returns the log of this process, on w.
func (c *call) logger(w io.Writer) (*slog.Logger, error) {
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
