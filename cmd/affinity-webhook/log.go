package main

import (
	"github.com/go-logr/logr"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	ctrlzap "sigs.k8s.io/controller-runtime/pkg/log/zap"
)

// newLogger makes the logger that the flags ask for, without the sampling of
// production's defaults: that keeps 100 lines of one message a second, and every
// refusal is told in the same one. One namespace's refusals would hide another's.
func newLogger(flags *ctrlzap.Options) logr.Logger {
	wanted := zapcore.InfoLevel
	switch {
	case flags.Level != nil:
		wanted = zapcore.LevelOf(flags.Level)
	case flags.Development:
		wanted = zapcore.DebugLevel
	}
	// Sampling is left out of a logger that is made for a level as low as this.
	level := zap.NewAtomicLevelAt(-2)
	log := ctrlzap.New(ctrlzap.UseFlagOptions(flags), ctrlzap.Level(&level))
	level.SetLevel(wanted)
	return log
}
