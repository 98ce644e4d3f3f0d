package main

import (
	"context"
	"runtime"

	"millrace/cmd/wire"
)

func versionCommand() command {
	return command{
		name: "version", about: "the version of this program",
		run: func(_ context.Context, c *call) error {
			c.printf("millrace %s (%s, %s/%s)\n", wire.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return nil
		},
	}
}
