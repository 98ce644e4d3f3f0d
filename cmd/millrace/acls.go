package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"millrace/cmd/settings"
	"millrace/topics"
)

// aclOptions are those of topics acls.
type aclOptions struct {
	User     string `name:"user" help:"the principal's name; {role} in it becomes the role"`
	Commands bool   `name:"commands" help:"as commands of kafka-acls.sh, to be read and run by an operator"`
	JSON     bool   `name:"json" help:"as JSON"`
}

// granted is a right that a role needs.
type granted struct {
	Role      string           `json:"role"`
	User      string           `json:"user"`
	Resource  topics.Resource  `json:"resource"`
	Name      string           `json:"name"`
	Pattern   string           `json:"pattern"` // literal or prefixed
	Operation topics.Operation `json:"operation"`
}

func aclsCommand() command {
	o := aclOptions{User: "millrace-{role}"}
	cmd := command{
		name: "topics acls", args: "[ROLE…]", about: "the rights that groups and commands need on a Kafka with an authorizer",
		long: `
Roles are the groups, and beside them:
  ` + topics.RoleLook + `       serve, search, status, lag, why, topics cat
  ` + topics.RoleSeeds + `      produce seeds, recheck, --websub, --indexnow
  ` + topics.RoleControl + `  rules, pause, forget
  ` + topics.RoleReplay + `     replay extract
  ` + topics.RoleTap + `        consume parquet, warc, links, jsonl, opensearch
  ` + topics.RoleJSON + `   consume json
  ` + topics.RolePutBack + `   dead-letters put-back
  ` + topics.RoleProvision + `  provision
Without a role all are listed. A process that runs several groups needs the rights of each. It
prints what this program needs; it asks no broker and grants nothing.`,
		examples: `
millrace topics acls
millrace topics acls fetch extract --user crawler --commands
millrace topics acls --json | jq -r '.[] | select(.operation == "Write") | .name' | sort -u`,
		own: &o, most: -1,
		section: settings.Section{Title: "How it is printed", Names: []string{"user NAME", "commands", "json"}},
	}
	cmd.run = func(_ context.Context, c *call) error {
		list, err := rightsOf(c.args, o.User)
		if err != nil {
			return err
		}
		switch {
		case o.JSON && o.Commands:
			return misuse("--json and --commands: choose one")
		case o.JSON:
			return json.NewEncoder(c.stdout).Encode(list)
		case o.Commands:
			c.printACLCommands(list)
			return nil
		}
		return c.printACLs(list)
	}
	return cmd
}

// rightsOf lists what the roles need, once for every user.
func rightsOf(roles []string, user string) ([]granted, error) {
	if len(roles) == 0 {
		roles = topics.Roles()
	}
	if strings.ContainsAny(user, " \t\n'\"\\") || user == "" {
		return nil, misuse("--user: %q is no name of a principal", user)
	}
	var out []granted
	seen := map[granted]bool{}
	for _, role := range roles {
		rights, err := topics.RightsOf(role)
		if err != nil {
			near := ""
			if n := settings.Nearest(role, topics.Roles()); n != "" {
				near = ": did you mean " + n + "?"
			}
			return nil, misuse("no role %q%s (roles: %s)", role, near, strings.Join(topics.Roles(), ", "))
		}
		for _, r := range rights {
			g := granted{"", strings.ReplaceAll(user, "{role}", role), r.Resource, r.Name, "literal", r.Operation}
			if r.Prefixed {
				g.Pattern = "prefixed"
			}
			if seen[g] {
				continue
			}
			seen[g] = true
			g.Role = role
			out = append(out, g)
		}
	}
	return out, nil
}

func (c *output) printACLs(list []granted) error {
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "ROLE\tUSER\tOPERATION\tRESOURCE\tNAME\n")
	for _, g := range list {
		name := g.Name
		if g.Pattern == "prefixed" {
			name += "*"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", g.Role, g.User, g.Operation, g.Resource, name)
	}
	return w.Flush()
}

// printACLCommands prints a line for every user and resource, with all its operations.
func (c *output) printACLCommands(list []granted) {
	c.printf("# Set BROKERS, and in ADMIN the file with the login of a user who may grant rights.\n")
	type key struct {
		user, name, pattern string
		resource            topics.Resource
	}
	var order []key
	operations := map[key][]string{}
	for _, g := range list {
		k := key{g.User, g.Name, g.Pattern, g.Resource}
		if operations[k] == nil {
			order = append(order, k)
		}
		operations[k] = append(operations[k], "--operation "+string(g.Operation))
	}
	for _, k := range order {
		c.printf("kafka-acls.sh --bootstrap-server \"$BROKERS\" --command-config \"$ADMIN\" --add --allow-principal 'User:%s' %s --%s '%s' --resource-pattern-type %s\n",
			k.user, strings.Join(operations[k], " "), k.resource, k.name, k.pattern)
	}
}
