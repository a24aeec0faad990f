// Command bench measures the product as its users experience it: whole programs, real inputs and a filled store. It
// imitates no part of the product.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v2"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	app := cli.NewApp()
	app.Name, app.Usage = "bench", "measure surrealdb-memory"
	app.HideHelpCommand = true
	app.DisableSliceFlagSeparator = true // a command may contain commas
	app.Commands = []*cli.Command{hooksCommand(), ingestCommand(), consolidateCommand(), dashboardCommand(), recallGateCommand(), recallSessionsCommand(), memoryCodeCommand(), sweContextCommand()}
	err := app.RunContext(ctx, os.Args)
	stop()
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
