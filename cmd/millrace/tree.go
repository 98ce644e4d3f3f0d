package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"millrace/cmd/settings"
	"millrace/cmd/wire"
	"millrace/topics"
)

// tree makes all commands as cobra knows them. It finds the command of a line, reads its flags and
// calls it; completion scripts and manual pages are made from it too.
func (c *call) tree(line []string) error {
	root := &cobra.Command{
		Use: "millrace", Short: "crawls the web into a search index that keeps itself up to date",
		DisableAutoGenTag: true, SilenceErrors: true, SilenceUsage: true, Version: version(),
		Args: cobra.ArbitraryArgs, RunE: c.unknown(""),
		// A mistyped command is named before flags that only the right one has.
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
	}
	c.root = root
	root.SetIn(c.stdin)
	root.SetOut(c.stdout)
	root.SetErr(c.stderr)
	root.SetVersionTemplate("{{.Version}}\n")
	root.CompletionOptions.DisableDefaultCmd = true
	root.InitDefaultHelpFlag()
	root.SetHelpFunc(func(*cobra.Command, []string) { overview(c.stdout) })
	root.SetHelpCommand(&cobra.Command{Use: "help", Short: "help for a command", Args: cobra.ArbitraryArgs, RunE: c.help})
	byName := map[string]*cobra.Command{"": root}
	for _, cmd := range commands() {
		parent := ""
		words := strings.Fields(cmd.name)
		if meansGroup(words, line) {
			continue
		}
		if len(words) == 2 {
			if parent = words[0]; byName[parent] == nil { // a word that is no command by itself
				byName[parent] = &cobra.Command{
					Use: parent, Short: "see its commands", DisableAutoGenTag: true, Args: cobra.ArbitraryArgs, RunE: c.unknown(parent),
				}
				root.AddCommand(byName[parent])
			}
		}
		node, err := cmd.node(c, words[len(words)-1])
		if err != nil {
			return err
		}
		byName[cmd.name] = node
		byName[parent].AddCommand(node)
	}
	return nil
}

// meansGroup reports whether a line names a consumer group, though the words are those of a tap:
// millrace consume links is the group, with --out it is the tap that writes files.
func meansGroup(words, line []string) bool {
	if len(words) != 2 || len(line) < 2 || words[0] != "consume" || !slices.Equal(words, line[:2]) || !slices.Contains(topics.GroupNames(), words[1]) {
		return false
	}
	return !slices.ContainsFunc(line[2:], func(arg string) bool {
		name, _, _ := strings.Cut(arg, "=")
		return name == "--out" || name == "--help" || name == "-h"
	})
}

// unknown returns the action of a line that names no command: it fails with a suggestion. word is
// the first word of the line, if it is known.
func (c *call) unknown(word string) func(*cobra.Command, []string) error {
	return func(_ *cobra.Command, args []string) error {
		said := cmp.Or(word, strings.Join(args[:min(1, len(args))], ""), c.first)
		return misuse("unknown command %q%s", said, suggestion(said))
	}
}

// help writes the help of a command, or the overview.
func (c *call) help(_ *cobra.Command, args []string) error {
	node, _, err := c.root.Find(args)
	if err != nil {
		return err
	}
	if len(args) > 0 && (node == c.root || !node.HasParent()) {
		return c.unknown("")(node, args)
	}
	node.HelpFunc()(node, nil)
	return nil
}

// node is one command for cobra: it reads the command's flags and arguments and runs it.
func (cmd command) node(c *call, word string) (*cobra.Command, error) {
	n := &cobra.Command{
		Use: strings.TrimSpace(word + " " + cmd.args), Short: cmd.about, Long: strings.TrimSpace(cmd.long), Aliases: cmd.aliases,
		Example: strings.TrimSpace(cmd.examples), DisableAutoGenTag: true, ValidArgsFunction: cmd.completeArgs,
	}
	o, err := cmd.flags(n.Flags())
	if err != nil {
		return nil, err
	}
	n.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return cmd.misused(settings.Explain(n.Flags(), err)) })
	n.SetHelpFunc(func(*cobra.Command, []string) {
		if err := cmd.usage(c.stdout); err != nil {
			fmt.Fprintf(c.stderr, "millrace: %s\n", oneLine(err))
		}
	})
	n.Args = func(_ *cobra.Command, args []string) error { return cmd.misused(cmd.checkArgs(args)) }
	n.RunE = func(n *cobra.Command, args []string) error {
		if err := cmd.load(o, c.environ); err != nil {
			return cmd.misused(err)
		}
		c.cfg, c.args = o.cfg, args
		err := profiled(o.cfg.Profile, func() error { return cmd.run(n.Context(), c) })
		var wrong *usageError
		if errors.As(err, &wrong) && wrong.help == "" {
			return &usageError{wrong.err, cmd.name}
		}
		return err
	}
	return n, nil
}

// completeArgs completes names of topics and groups, which are fixed; everything else is a file or
// nothing.
func (cmd command) completeArgs(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	switch cmd.name {
	case "topics cat":
		var names []string
		for _, t := range topics.All() {
			names = append(names, t.Name)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	case "consume":
		return append(topics.GroupNames(), "all"), cobra.ShellCompDirectiveNoFileComp
	case "try":
		return nil, cobra.ShellCompDirectiveDefault
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

func completionCommand() command {
	return command{
		name: "completion", args: "bash|zsh|fish", about: "a script that completes millrace's commands in a shell",
		examples: `
source <(millrace completion bash)
millrace completion zsh > "${fpath[1]}/_millrace"
millrace completion fish > ~/.config/fish/completions/millrace.fish`,
		least: 1, most: 1,
		run: func(_ context.Context, c *call) error {
			switch c.args[0] {
			case "bash":
				return c.root.GenBashCompletionV2(c.stdout, true)
			case "zsh":
				return c.root.GenZshCompletion(c.stdout)
			case "fish":
				return c.root.GenFishCompletion(c.stdout, true)
			}
			return misuse("no completion for %q: there are bash, zsh and fish", c.args[0])
		},
	}
}

func manCommand() command {
	return command{
		name: "man", args: "DIR", about: "write a manual page for every command into a directory",
		examples: "millrace man /usr/local/share/man/man1",
		least:    1, most: 1,
		run: func(_ context.Context, c *call) error {
			if err := os.MkdirAll(c.args[0], 0o755); err != nil {
				return fmt.Errorf("manual pages: %w", err)
			}
			return doc.GenManTree(c.root, &doc.GenManHeader{Title: "MILLRACE", Section: "1", Source: "millrace " + wire.Version()}, c.args[0])
		},
	}
}
