// Package asyncapi describes the topics as an AsyncAPI 3 document, for tools and generators.
//
// # Goals
//
// Whoever reads the topics in another language has their description in a form that programs read.
//
// # How it works
//
// A topic is a channel with its key and how long records are kept; each kind of record is a message
// whose payload is the .proto file. All of it is made from package topics.
//
// # Promises
//
// The document says what this program works with: there is no second list.
//
// # On failure
//
// There are no errors.
//
// # Limits
//
// It describes how to read. Nobody but the groups of the map may write.
package asyncapi

import (
	"strings"

	"millrace/schema"
	"millrace/topics"
)

type object = map[string]any

// Document returns the document, as encoding/json writes it. Its version is that of the records:
// the number in their package, millrace.v1.
func Document() map[string]any {
	channels, operations, messages := object{}, object{}, object{}
	for _, t := range topics.All() {
		name := strings.TrimPrefix(t.Message, "millrace.v1.")
		messages[name] = message(name)
		channels[t.Name] = channel(t, name)
		operations["read "+t.Name] = object{
			"action": "receive", "channel": object{"$ref": "#/channels/" + t.Name}, "summary": "Read " + t.About,
		}
	}
	return object{
		"asyncapi": "3.0.0",
		"info": object{
			"title": "millrace", "version": "1", "license": object{"name": "Apache-2.0"},
			"description": "The topics of a crawl. Fields are only added, numbers never reused. Read docs.unique with isolation.level=read_committed.",
		},
		"defaultContentType": "application/protobuf",
		"channels":           channels, "operations": operations, "components": object{"messages": messages},
	}
}

func channel(t topics.Spec, message string) object {
	config := object{"cleanup.policy": []string{"delete"}, "retention.ms": t.Retention.Milliseconds(), "max.message.bytes": t.MaxBytes()}
	if t.Retention == 0 {
		config = object{"cleanup.policy": []string{"compact"}, "max.message.bytes": t.MaxBytes()}
	}
	return object{
		"address": t.Name, "description": t.About + ". Key: " + t.Key + ".",
		"messages": object{message: object{"$ref": "#/components/messages/" + message}},
		"bindings": object{"kafka": object{"topic": t.Name, "topicConfiguration": config, "bindingVersion": "0.5.0"}},
	}
}

// message is a kind of record. dead.letters holds bytes of any.
func message(name string) object {
	words := object{}
	for _, h := range []string{"ce_specversion", "ce_id", "ce_type", "ce_source", "ce_time", "content-type", "traceparent"} {
		words[h] = object{"type": "string"}
	}
	m := object{"name": "millrace.v1." + name, "title": name, "headers": object{"type": "object", "properties": words}}
	if name == "bytes" {
		m["name"], m["contentType"], m["payload"] = name, "application/octet-stream", object{"type": "string", "format": "binary"}
		return m
	}
	m["contentType"] = "application/protobuf"
	m["payload"] = object{"schemaFormat": "application/vnd.google.protobuf;version=3", "schema": schema.ProtoOf(name)}
	return m
}
