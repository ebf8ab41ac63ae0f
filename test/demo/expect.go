package main

import (
	"fmt"
	"strings"
)

// expect says what is wrong with the output of a command; nil is nothing.
type expect func(output string) error

// shows wants every text somewhere in the output.
func shows(texts ...string) expect {
	return func(output string) error {
		for _, text := range texts {
			if !strings.Contains(output, text) {
				return fmt.Errorf("%q is not there", text)
			}
		}
		return nil
	}
}

// rows wants so many lines below the header of a table, each with every text.
func rows(count int, texts ...string) expect {
	return func(output string) error {
		lines := strings.Split(strings.TrimSpace(output), "\n")[1:]
		if len(lines) != count {
			return fmt.Errorf("%d rows, want %d", len(lines), count)
		}
		for _, line := range lines {
			if err := shows(texts...)(line); err != nil {
				return fmt.Errorf("row %q: %w", line, err)
			}
		}
		return nil
	}
}

// exactly wants the output to be this line. A "*" stands for what a controller
// has drawn: the rest of a word.
func exactly(line string) expect {
	return func(output string) error {
		if !same(strings.Split(strings.TrimSpace(output), " "), strings.Split(line, " ")) {
			return fmt.Errorf("%q, want %q", strings.TrimSpace(output), line)
		}
		return nil
	}
}

func same(got, want []string) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range want {
		head, _, drawn := strings.Cut(want[i], "*")
		if got[i] == want[i] || drawn && strings.HasPrefix(got[i], head) {
			continue
		}
		return false
	}
	return true
}
