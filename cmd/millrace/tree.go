package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"millrace/cmd/settings"
	"millrace/cmd/wire"
	"millrace/topics"
)

// tree is all commands as cobra knows them: completion scripts and manual pages are made from it.
// Command lines are still read by dispatch, which says what a near miss was meant to be.
func tree() (*cobra.Command, error) {
	root := &cobra.Command{
		Use: "millrace", Short: "crawls the web into a search index that keeps itself up to date",
		DisableAutoGenTag: true, SilenceErrors: true, SilenceUsage: true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	byName := map[string]*cobra.Command{"": root}
	for _, cmd := range commands() {
		parent := ""
		words := strings.Fields(cmd.name)
		if len(words) == 2 {
			if parent = words[0]; byName[parent] == nil { // a word that is no command by itself
				byName[parent] = &cobra.Command{Use: parent, Short: "see its commands", DisableAutoGenTag: true}
				root.AddCommand(byName[parent])
			}
		}
		node, err := cmd.node(words[len(words)-1])
		if err != nil {
			return nil, err
		}
		byName[cmd.name] = node
		byName[parent].AddCommand(node)
	}
	return root, nil
}

// node is one command for cobra.
func (cmd command) node(word string) (*cobra.Command, error) {
	cfg := wire.DefaultConfig()
	shared, err := settings.New(&cfg, "MILLRACE")
	if err != nil {
		return nil, err
	}
	c := &cobra.Command{
		Use: strings.TrimSpace(word + " " + cmd.args), Short: cmd.about, Long: strings.TrimSpace(cmd.long),
		Example: strings.TrimSpace(cmd.examples), DisableAutoGenTag: true, Run: func(*cobra.Command, []string) {},
		ValidArgsFunction: cmd.completeArgs,
	}
	fs := pflag.NewFlagSet(cmd.name, pflag.ContinueOnError)
	if len(cmd.settings) > 0 {
		if err := shared.AddFlags(fs, cmd.settings...); err != nil {
			return nil, err
		}
	}
	if _, err := cmd.ownFlags(fs); err != nil {
		return nil, err
	}
	c.Flags().AddFlagSet(fs)
	return c, nil
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

// answerShell answers what a completion script asks: the words that may stand next.
func answerShell(args []string, stdout io.Writer) error {
	root, err := tree()
	if err != nil {
		return err
	}
	root.SetOut(stdout)
	root.SetErr(io.Discard)
	root.SetArgs(args)
	return root.Execute()
}

// asksForShell reports whether a completion script asks.
func asksForShell(args []string) bool {
	return args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd
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
			root, err := tree()
			if err != nil {
				return err
			}
			switch c.args[0] {
			case "bash":
				return root.GenBashCompletionV2(c.stdout, true)
			case "zsh":
				return root.GenZshCompletion(c.stdout)
			case "fish":
				return root.GenFishCompletion(c.stdout, true)
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
			root, err := tree()
			if err != nil {
				return err
			}
			if err := os.MkdirAll(c.args[0], 0o755); err != nil {
				return fmt.Errorf("manual pages: %w", err)
			}
			return doc.GenManTree(root, &doc.GenManHeader{Title: "MILLRACE", Section: "1", Source: "millrace " + wire.Version()}, c.args[0])
		},
	}
}
