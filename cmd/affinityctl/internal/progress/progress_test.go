package progress_test

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/progress"
)

func TestNobodyIsToldWhoDoesNotWait(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var early bytes.Buffer
	for _, line := range []*progress.Line{progress.New(file), progress.New(&early), progress.On(&early, time.Now())} {
		line.Say("%d done", 1)
		line.End()
	}
	if info, err := file.Stat(); err != nil || info.Size() > 0 || early.Len() > 0 {
		t.Errorf("%v, %d bytes in the file, said %q", err, info.Size(), early.String())
	}
}

func TestWhoWaitsIsToldAndLeftAClearLine(t *testing.T) {
	var out bytes.Buffer
	line := progress.On(&out, time.Now().Add(-time.Minute))
	line.Say("%d done", 1)
	line.Say("%d done", 2) // too soon after the first
	line.End()
	line.End()
	if got := out.String(); got != "\r\x1b[K1 done\r\x1b[K" {
		t.Errorf("said %q", got)
	}
}
