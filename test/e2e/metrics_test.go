package e2e_test

import (
	"bufio"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// scrape reads the server's metrics as Prometheus would.
func scrape(t *testing.T) string {
	t.Helper()
	answer, err := http.Get(world.Metrics)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// metric is the sum of the series whose name begins so; 0 where there is none.
func metric(t *testing.T, series string) float64 {
	t.Helper()
	sum := 0.0
	for lines := bufio.NewScanner(strings.NewReader(scrape(t))); lines.Scan(); {
		name, value, ok := cutLast(lines.Text())
		if !ok || !strings.HasPrefix(name, series) {
			continue
		}
		number, err := strconv.ParseFloat(value, 64)
		if err != nil {
			t.Fatalf("read metric %s: %v", name, err)
		}
		sum += number
	}
	return sum
}

func cutLast(line string) (name, value string, ok bool) {
	at := strings.LastIndexByte(line, ' ')
	if at < 0 {
		return "", "", false
	}
	return line[:at], line[at+1:], true
}
