package main

import (
	"context"
	"strings"

	"millrace/cmd/settings"
	"millrace/ops/registry"
	"millrace/streams"
)

// registerOptions are those of topics register.
type registerOptions struct {
	To           string `name:"to" help:"http://host:8081 or https://host:8081 of the registry"`
	User         string `name:"user" help:"name to log in with"`
	PasswordFile string `name:"password-file" help:"file with its password; or set the variable MILLRACE_REGISTRY_PASSWORD"`
	JSON         bool   `name:"json" help:"what was registered, as JSON"`
}

func registerCommand() command {
	o := registerOptions{}
	cmd := command{
		name: "topics register", about: "the .proto files of the topics into a schema registry",
		long: `
For tools that look there for what a topic holds: a subject TOPIC-value for each, with the .proto file and
the name of its message. Registering again changes nothing. The records stay plain Protobuf, without the
number of a schema before them, so deserializers of a registry do not read them. It asks no broker.`,
		examples: `
millrace topics register --to http://registry:8081
millrace topics register --to https://registry --user crawl --password-file registry.secret --json`,
		own:     &o,
		section: settings.Section{Title: "The registry", Names: []string{"to URL", "user NAME", "password-file FILE", "json"}},
	}
	cmd.run = func(ctx context.Context, c *call) error {
		r := registry.Options{URL: o.To, User: o.User}
		if err := r.Validate(); err != nil {
			return misuse("%w", err)
		}
		var err error
		if r.Password, err = registryPassword(o, c.environ); err != nil {
			return err
		}
		list, err := registry.Register(ctx, r)
		if err != nil {
			return err
		}
		if o.JSON {
			return c.printJSON(list)
		}
		for _, s := range list {
			c.printf("%-22s %-26s id %d\n", s.Name, s.Message, s.ID)
		}
		return nil
	}
	return cmd
}

// registryVariable is the environment variable with the password of a registry.
const registryVariable = "MILLRACE_REGISTRY_PASSWORD"

// registryPassword reads the password, if there is a user.
func registryPassword(o registerOptions, environ []string) (string, error) {
	text := ""
	for _, v := range environ {
		if word, ok := strings.CutPrefix(v, registryVariable+"="); ok {
			text = word
		}
	}
	secret := streams.NewSecret(text, o.PasswordFile)
	switch {
	case o.User == "":
		return "", nil
	case secret.Empty():
		return "", misuse("user %s has no password: set --password-file, or the variable %s", o.User, registryVariable)
	}
	return secret.Read()
}
