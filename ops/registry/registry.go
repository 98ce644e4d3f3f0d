// Package registry puts the .proto files of the topics into a schema registry (Confluent's
// interface, which Apicurio and Karapace have too), for tools that look there for what a topic
// holds.
//
// # Goals
//
// A reader finds the message of a topic where it finds those of all others.
//
// # How it works
//
// For each topic whose records are Protobuf there is the subject TOPIC-value, with
// the whole .proto file and a first line that names the message. A file that another one imports is
// a subject under its own path, and a reference.
//
// # Promises
//
// Registering again changes nothing. Nothing else is changed: no compatibility level, no
// other subject. Records stay as they are: plain Protobuf, without the five bytes in which
// deserializers of a registry expect the schema's number. So such deserializers do not read them,
// and readers parse the value as it is.
//
// # On failure
//
// Register ends at the first subject that is refused, and says which and why; those
// before it are registered.
//
// # Limits
//
// Requests take 15 s at most. Whoever writes the records does not ask the registry: a
// registry that is away stops nobody.
package registry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/sr"

	"millrace/schema"
	"millrace/topics"
)

// Options say where the registry is.
type Options struct {
	URL      string // http://host:port or https://host:port
	User     string // "": no login
	Password string
}

// Validate returns an error for the first option that is wrong. It repeats no part of the address
// that may hold a password.
func (o Options) Validate() error {
	u, err := url.Parse(o.URL)
	switch {
	case o.URL == "":
		return errors.New("no registry: name one with --to http://host:8081")
	case strings.Contains(o.URL, "@"):
		return errors.New("no name or password in the address, where logs and lists of processes show it: " +
			"set --user, and --password-file or the variable MILLRACE_REGISTRY_PASSWORD")
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return fmt.Errorf("%q is no address of a registry, such as http://host:8081", o.URL)
	case o.User == "" && o.Password != "":
		return errors.New("a password without a user: whose is it?")
	}
	return nil
}

// Subject holds the schemas that are registered for a topic.
type Subject struct {
	Name    string `json:"subject"`
	Message string `json:"message"` // with its package; "" for a file that others import
	ID      int    `json:"id"`      // of the schema, in the registry
}

// within bounds one request.
const within = 15 * time.Second

// Register registers the .proto file of every topic.
func Register(ctx context.Context, o Options) ([]Subject, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	opts := []sr.ClientOpt{sr.URLs(strings.TrimSuffix(o.URL, "/")), sr.UserAgent("millrace"), sr.HTTPClient(&http.Client{Timeout: within})}
	if o.User != "" {
		opts = append(opts, sr.BasicAuth(o.User, o.Password))
	}
	client, err := sr.NewClient(opts...)
	if err != nil {
		return nil, err
	}
	return register(ctx, client)
}

func register(ctx context.Context, client *sr.Client) (out []Subject, err error) {
	imported := map[string]sr.SchemaReference{}
	for _, t := range topics.All() {
		name, ok := strings.CutPrefix(t.Message, "millrace.v1.")
		if !ok {
			continue // dead.letters has bytes of any kind
		}
		text := schema.ProtoOf(name)
		s := sr.Schema{Type: sr.TypeProtobuf, Schema: head(t) + text}
		for path, file := range schema.Imports(text) {
			if _, ok := imported[path]; !ok {
				subject, err := create(ctx, client, path, "", sr.Schema{Type: sr.TypeProtobuf, Schema: file})
				if err != nil {
					return out, err
				}
				out = append(out, subject.Subject)
				imported[path] = sr.SchemaReference{Name: path, Subject: path, Version: subject.version}
			}
			s.References = append(s.References, imported[path])
		}
		subject, err := create(ctx, client, t.Name+"-value", t.Message, s)
		if err != nil {
			return out, err
		}
		out = append(out, subject.Subject)
	}
	return out, nil
}

// head is the first line of a topic's file.
func head(t topics.Spec) string {
	return fmt.Sprintf("// Records of %s are messages %s: plain Protobuf, without the magic byte and schema id.\n", t.Name, t.Message)
}

type created struct {
	Subject
	version int
}

func create(ctx context.Context, client *sr.Client, name, message string, s sr.Schema) (created, error) {
	have, err := client.CreateSchema(ctx, name, s)
	if err != nil {
		return created{}, fmt.Errorf("subject %s: %w", name, err)
	}
	return created{Subject{name, message, have.ID}, have.Version}, nil
}
