package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"millrace/cmd/settings"
	"millrace/cmd/wire"
	"millrace/topics"
)

// command is one subcommand.
//
// It is large because it is a row of the table of commands: each field is a column of help,
// completion and man pages.
type command struct {
	name     string   // may have two words: "topics cat"
	aliases  []string // other words for it
	args     string   // as shown in the usage line
	about    string   // in one line
	long     string
	examples string
	settings []string // of wire.Config that it has as flags
	logOnly  bool     // needs brokers, and no store
	own      any      // its own options, a pointer to a struct
	section  settings.Section
	least    int // positional arguments
	most     int // -1 = any number
	run      func(context.Context, *call) error
}

// call is one use of a command.
//
// It is large because each command is a method of it, in a file of its own, and shares nothing but
// these few fields.
type call struct {
	output
	environ []string
	stdin   io.Reader

	cfg  wire.Config
	args []string // positional

	lasts bool // it goes on until it is stopped: then that is no failure

	root  *cobra.Command // all commands
	first string         // the first word of the line
}

// output is where a command answers, for people or as JSON.
//
// It is large because each kind of answer that several commands print is a method; it has no state
// beside the two writers.
type output struct{ stdout, stderr io.Writer }

// printf writes to standard output. Who reads it may be gone; then what would
// have been read is of no interest.
func (c *output) printf(format string, args ...any) { fmt.Fprintf(c.stdout, format, args...) }

// suggestion returns the command that an unknown word probably meant, as the end of a message; ""
// if no name is near.
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

// options are the flags of one command, and where their values go.
type options struct {
	cfg    wire.Config
	shared *settings.Settings
	own    *settings.Settings // nil: none
}

// flags makes the command's flags.
func (cmd command) flags(fs *pflag.FlagSet) (*options, error) {
	o := &options{cfg: wire.DefaultConfig()}
	var err error
	if o.shared, err = settings.New(&o.cfg, "MILLRACE"); err != nil {
		return nil, err
	}
	if len(cmd.settings) > 0 {
		if err := o.shared.AddFlags(fs, append(cmd.hidden(), cmd.settings...)...); err != nil {
			return nil, err
		}
		for _, name := range cmd.hidden() {
			fs.Lookup(name).Hidden = true
		}
	}
	if cmd.own == nil {
		return o, nil
	}
	if o.own, err = settings.New(cmd.own, ""); err != nil {
		return nil, err
	}
	return o, o.own.AddFlags(fs)
}

// load fills the configuration and the command's own options from file, environment and flags.
func (cmd command) load(o *options, environ []string) error {
	if o.own != nil {
		if err := o.own.Load(nil); err != nil {
			return err
		}
	}
	if len(cmd.settings) == 0 {
		return nil
	}
	if err := o.shared.Load(environ); err != nil {
		return err
	}
	cfg := o.cfg
	if cmd.logOnly && cfg.Store == "" && !cfg.Embedded() {
		cfg.Store = "cql://none/none"
	}
	return cfg.Validate()
}

// checkArgs says what is wrong with the positional arguments.
func (cmd command) checkArgs(args []string) error {
	if cmd.takes(len(args)) {
		return nil
	}
	if err := cmd.misspelt(args); err != nil {
		return err
	}
	return fmt.Errorf("usage: millrace %s", cmd.line())
}

// misused makes an error a wrong use of the command, unless it says already of what.
func (cmd command) misused(err error) error {
	var wrong *usageError
	if err == nil || errors.As(err, &wrong) {
		return err
	}
	return &usageError{err, cmd.name}
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

func (cmd command) takes(n int) bool { return n >= cmd.least && (cmd.most < 0 || n <= cmd.most) }

// line is the usage line, without the program's name.
func (cmd command) line() string {
	words := []string{cmd.name}
	if len(cmd.settings) > 0 || cmd.own != nil {
		words = append(words, "[flags]")
	}
	return strings.TrimSpace(strings.Join(append(words, cmd.args), " "))
}
