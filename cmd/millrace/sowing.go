package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// sowing shows on a terminal how far the reading of a list of URLs is, once a second.
type sowing struct {
	out      io.Writer
	list     io.Reader
	size     int64 // bytes of the list; 0 = unknown
	read     int64
	terminal bool
	began    time.Time
	shown    time.Time
}

func newSowing(out io.Writer, list io.Reader, now time.Time) *sowing {
	s := &sowing{out: out, list: list, began: now, shown: now}
	_, s.terminal = columns(out)
	if f, ok := list.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			s.size = info.Size()
		}
	}
	return s
}

// Read implements io.Reader.
func (s *sowing) Read(p []byte) (int, error) {
	n, err := s.list.Read(p)
	s.read += int64(n)
	return n, err
}

// show draws the progress after n URLs, if a second has passed since the last time.
func (s *sowing) show(n int64, now time.Time) {
	if s.terminal && now.Sub(s.shown) >= time.Second {
		s.shown = now
		fmt.Fprintf(s.out, "\r\x1b[K%s", s.line(n, now.Sub(s.began)))
	}
}

// end takes the line off the screen.
func (s *sowing) end() {
	if s.terminal && s.shown != s.began {
		fmt.Fprint(s.out, "\r\x1b[K")
	}
}

// line is a bar with the part of the list that was read, or only numbers if its size is unknown.
func (s *sowing) line(n int64, took time.Duration) string {
	text := fmt.Sprintf("%s added, %s a second", plural(n, "URL"), count(int64(float64(n)/max(took.Seconds(), 1))))
	if s.size <= 0 {
		return text
	}
	const width = 20
	part := min(1, float64(s.read)/float64(s.size))
	full := int(part * width)
	return fmt.Sprintf("[%s%s] %d %%, %s", strings.Repeat("#", full), strings.Repeat(".", width-full), int(part*100), text)
}
