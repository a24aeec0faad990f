package upkeep

import "log/slog"

// cronLogger passes cron's log to slog, its routine messages at debug level.
type cronLogger struct{ log *slog.Logger }

func (l cronLogger) Info(msg string, pairs ...any) { l.log.Debug("cron: "+msg, pairs...) }

func (l cronLogger) Error(err error, msg string, pairs ...any) {
	l.log.Error("cron: "+msg, append(pairs, "error", err)...)
}
