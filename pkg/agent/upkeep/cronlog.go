package upkeep

import "log/slog"

// cronLogger lets cron speak through slog. What cron tells of its routine is of
// interest when debugging only.
type cronLogger struct{ log *slog.Logger }

func (l cronLogger) Info(msg string, pairs ...any) { l.log.Debug("cron: "+msg, pairs...) }

func (l cronLogger) Error(err error, msg string, pairs ...any) {
	l.log.Error("cron: "+msg, append(pairs, "error", err)...)
}
