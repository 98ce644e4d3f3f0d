package main

import (
	"encoding/json"
	"strings"
	"testing"

	"millrace/topics"
)

// TestTheContractNamesEveryTopic: every topic is a channel, and every reference leads somewhere.
func TestTheContractNamesEveryTopic(t *testing.T) {
	a := use(t, "topics", "asyncapi")
	var doc struct {
		AsyncAPI   string
		Channels   map[string]struct{ Messages map[string]map[string]string }
		Components struct {
			Messages map[string]struct {
				Payload struct{ Schema string }
			}
		}
	}
	if err := json.Unmarshal([]byte(a.out), &doc); err != nil || a.code != 0 || doc.AsyncAPI != "3.0.0" {
		t.Fatalf("exit %d, %v: %s", a.code, err, a.err)
	}
	for _, topic := range topics.All() {
		name := strings.TrimPrefix(topic.Message, "millrace.v1.")
		if doc.Channels[topic.Name].Messages[name]["$ref"] != "#/components/messages/"+name {
			t.Errorf("no channel for %s", topic.Name)
		}
		if s := doc.Components.Messages[name].Payload.Schema; name != "bytes" && !strings.Contains(s, "\nmessage "+name+" {") {
			t.Errorf("the payload of %s does not define %s", topic.Name, name)
		}
	}
}
