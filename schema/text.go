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
	//go:embed near.proto
	nearProto string
)

// ProtoOf is the .proto file that defines a message of the topics, for readers in other languages.
// One that is in none gives the first file.
func ProtoOf(message string) string {
	for _, text := range []string{messagesProto, linksProto, controlProto, nearProto} {
		if strings.Contains(text, "\nmessage "+message+" {") {
			return text
		}
	}
	return messagesProto
}

// Imports returns the .proto files that one imports, by the path that it names them with.
func Imports(proto string) map[string]string {
	const path = "schema/messages.proto" // the only one that others import
	if strings.Contains(proto, "\nimport \""+path+"\";") {
		return map[string]string{path: messagesProto}
	}
	return nil
}
