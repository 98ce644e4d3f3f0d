package schema

import _ "embed"

//go:embed messages.proto
var messagesProto string

// MessagesProto is the .proto file of the records, for readers in other languages.
func MessagesProto() string { return messagesProto }
