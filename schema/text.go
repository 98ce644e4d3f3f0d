package schema

import (
	_ "embed"
	"strings"
)

var (
	//go:embed messages.proto
	messagesProto string
	//go:embed links.proto
	linksProto string
	//go:embed control.proto
	controlProto string
)

// ProtoOf is the .proto file that defines a message of the topics, for readers in other languages.
// One that is in none gives the first file.
func ProtoOf(message string) string {
	for _, text := range []string{messagesProto, linksProto, controlProto} {
		if strings.Contains(text, "\nmessage "+message+" {") {
			return text
		}
	}
	return messagesProto
}
