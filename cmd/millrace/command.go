package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"millrace/cmd/settings"
	"millrace/cmd/wire"
	"millrace/topics"
)

// command is one subcommand.
type command struct {
	name     string // may have two words: "topics cat"
	args     string // as shown in the usage line
	about    string // in one line
	long     string
	examples string
	settings []string // of wire.Config that it has as flags
	own      any      // its own options, a pointer to a struct
	section  settings.Section
	least    int // positional arguments
	most     int // -1 = any number
	run      func(context.Context, *call) error
}

// call is one use of a command.
type call struct {
	environ        []string
	stdin          io.Reader
	stdout, stderr io.Writer

	cfg  wire.Config
	args []string // positional
	goOn string   // how a crawl that was stopped is continued, in a sentence
}

// printf writes to standard output. Who reads it may be gone; then what would
// have been read is of no interest.
func (c *call) printf(format string, args ...any) { fmt.Fprintf(c.stdout, format, args...) }

// dispatch finds the command, reads its flags and calls it. args is not empty.
func dispatch(ctx context.Context, args []string, c *call) error {
	if slices.Contains([]string{"help", "--help", "-h"}, args[0]) {
		return help(c.stdout, args[1:])
	}
	if asksForShell(args) {
		return answerShell(args, c.stdout)
	}
	if args[0] == "--version" {
		args = []string{"version"}
	}
	cmd, rest, ok := lookUp(args)
	if !ok {
		return misuse("unknown command %q%s", args[0], suggestion(args[0]))
	}
	err := cmd.parse(c, rest)
	if errors.Is(err, pflag.ErrHelp) {
		return cmd.usage(c.stdout)
	}
	var wrong *usageError
	if errors.As(err, &wrong) {
		return err
	}
	if err != nil {
		return &usageError{err, cmd.name}
	}
	err = cmd.run(ctx, c)
	if errors.As(err, &wrong) && wrong.help == "" {
		return &usageError{wrong.err, cmd.name}
	}
	return err
}

// lookUp finds the command with the longest name that args begin with.
func lookUp(args []string) (command, []string, bool) {
	if len(args) > 0 && args[0] == "dlq" { // its name before
		args = append([]string{"dead-letters"}, args[1:]...)
	}
	for n := min(2, len(args)); n > 0; n-- {
		name := strings.Join(args[:n], " ")
		for _, cmd := range commands() {
			if cmd.name == name {
				return cmd, args[n:], true
			}
		}
	}
	return command{}, nil, false
}

func suggestion(word string) string {
	var names []string
	for _, cmd := range commands() {
		names = append(names, cmd.name)
	}
	if n := settings.Nearest(word, names); n != "" {
		return ": did you mean millrace " + n + "?"
	}
	return ""
}

// parse reads flags, environment and file into the configuration and the
// command's own options.
func (cmd command) parse(c *call, args []string) error {
	fs := pflag.NewFlagSet(cmd.name, pflag.ContinueOnError)
	fs.Usage = func() {}
	c.cfg = wire.DefaultConfig()
	shared, err := settings.New(&c.cfg, "MILLRACE")
	if err != nil {
		return err
	}
	if len(cmd.settings) > 0 {
		if err := shared.AddFlags(fs, cmd.settings...); err != nil {
			return err
		}
	}
	own, err := cmd.ownFlags(fs)
	if err != nil {
		return err
	}
	if err := fs.Parse(args); err != nil {
		return settings.Explain(fs, err)
	}
	if c.args = fs.Args(); !cmd.takes(len(c.args)) {
		if err := cmd.misspelt(c.args); err != nil {
			return err
		}
		return fmt.Errorf("usage: millrace %s", cmd.line())
	}
	if own != nil {
		if err := own.Load(nil); err != nil {
			return err
		}
	}
	if len(cmd.settings) == 0 {
		return nil
	}
	if err := shared.Load(c.environ); err != nil {
		return err
	}
	return c.cfg.Validate()
}

// misspelt says what was probably meant by arguments of a command that takes none, but has
// subcommands; nil if that is not known.
func (cmd command) misspelt(args []string) error {
	if cmd.most != 0 {
		return nil
	}
	var below []string
	for _, other := range commands() {
		if word, ok := strings.CutPrefix(other.name, cmd.name+" "); ok {
			below = append(below, word)
		}
	}
	if n := settings.Nearest(args[0], below); n != "" {
		return &usageError{err: fmt.Errorf("unknown command %q: did you mean millrace %s %s?", cmd.name+" "+args[0], cmd.name, n)}
	}
	if _, err := topics.Named(args[0]); err == nil && slices.Contains(below, "cat") {
		return fmt.Errorf("unknown command %q: records are read with millrace topics cat %s", cmd.name+" "+args[0], args[0])
	}
	return nil
}

// ownFlags gives the flag set the command's own options.
func (cmd command) ownFlags(fs *pflag.FlagSet) (*settings.Settings, error) {
	if cmd.own == nil {
		return nil, nil
	}
	own, err := settings.New(cmd.own, "")
	if err != nil {
		return nil, err
	}
	return own, own.AddFlags(fs)
}

func (cmd command) takes(n int) bool { return n >= cmd.least && (cmd.most < 0 || n <= cmd.most) }

// line is the usage line, without the program's name.
func (cmd command) line() string {
	words := []string{cmd.name}
	if len(cmd.settings) > 0 || cmd.own != nil {
		words = append(words, "[flags]")
	}
	return strings.TrimSpace(strings.Join(append(words, cmd.args), " "))
}
