package main

import (
	"context"
	"fmt"
	"runtime"

	"millrace/cmd/wire"
)

// version returns the versions of millrace and Go, and the platform.
func version() string {
	return fmt.Sprintf("millrace %s (%s, %s/%s)", wire.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func versionCommand() command {
	return command{
		name: "version", about: "the version of this program",
		run: func(_ context.Context, c *call) error {
			c.printf("%s\n", version())
			return nil
		},
	}
}
