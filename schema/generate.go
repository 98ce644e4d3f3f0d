package schema

// The messages and rows are generated from the .proto files beside this one.
// Needed on the PATH: protoc 3.21 or newer, and
//
//	go install google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12
//	go install github.com/planetscale/vtprotobuf/cmd/protoc-gen-go-vtproto@v0.6.0
//
//go:generate sh -c "cd .. && protoc --go_out=. --go_opt=module=millrace --go-vtproto_out=. --go-vtproto_opt=module=millrace,features=marshal+unmarshal+size+clone schema/*.proto"
