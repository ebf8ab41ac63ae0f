package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"
)

// value is one JSON value of a document's text.
type value struct {
	json  []byte
	line  int                // within the text, from 0
	end   int                // its last line, likewise
	lines func() map[int]int // of the items of a List: item → line within the text
}

// values reads a text as a row of JSON values if it is that, else as one YAML
// document. A YAML flow mapping looks like JSON at first.
func values(text []byte) (found []value, line int, err error) {
	if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && trimmed[0] == '{' {
		found, at, err := jsonValues(text)
		if err == nil {
			return found, 0, nil
		}
		if len(found) > 0 {
			return nil, at, err
		}
	}
	converted, err := sigsyaml.YAMLToJSON(text)
	if err != nil {
		line, err = yamlError(err)
		return nil, min(line, lastLine(text)), err // the parser may say one past the end
	}
	return []value{{json: converted, line: firstLine(text), end: lastLine(text), lines: func() map[int]int { return yamlLines(text) }}}, 0, nil
}

func jsonValues(text []byte) (found []value, line int, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	for {
		start := skip(text, int(decoder.InputOffset()))
		if start < len(text) && text[start] == '#' {
			// A comment after a value: the text is YAML.
			return nil, 0, errors.New("not JSON")
		}
		var raw json.RawMessage
		err := decoder.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return found, 0, nil
		}
		at := bytes.Count(text[:start], []byte("\n"))
		if err != nil {
			return found, at, err
		}
		end := at + bytes.Count(raw, []byte("\n"))
		found = append(found, value{json: raw, line: at, end: end, lines: func() map[int]int { return jsonLines(raw, at) }})
	}
}

// skip gives the offset of the next value at or after the offset.
func skip(text []byte, offset int) int {
	for offset < len(text) && bytes.IndexByte([]byte(" \t\r\n,"), text[offset]) >= 0 {
		offset++
	}
	return offset
}

// lastLine is the last line that holds anything, from 0.
func lastLine(text []byte) int {
	return bytes.Count(bytes.TrimRight(text, " \t\r\n"), []byte("\n"))
}

// firstLine is the line of the first content, from 0.
func firstLine(text []byte) int {
	for i, row := range bytes.SplitAfter(text, []byte("\n")) {
		if holdsContent(row) {
			return i
		}
	}
	return 0
}

var yamlLine = regexp.MustCompile(`^.*?yaml: (?:line (\d+): )?`)

// yamlError takes the line, from 0, out of a message: it is the text's, not the
// file's.
func yamlError(err error) (int, error) {
	match := yamlLine.FindStringSubmatch(err.Error())
	if match == nil {
		return 0, err
	}
	message := errors.New(err.Error()[len(match[0]):])
	line, wrong := strconv.Atoi(match[1])
	if wrong != nil || line < 1 {
		return 0, message
	}
	return line - 1, message
}

// yamlLines finds the items of a List. It is asked for Lists alone, since it
// reads the text once more.
func yamlLines(text []byte) map[int]int {
	var root yaml.Node
	if yaml.Unmarshal(text, &root) != nil || len(root.Content) == 0 {
		return nil
	}
	lines := map[int]int{}
	for i, mapping := 0, root.Content[0].Content; i+1 < len(mapping); i += 2 {
		if mapping[i].Value != "items" {
			continue
		}
		for item, node := range mapping[i+1].Content {
			lines[item] = node.Line - 1
		}
	}
	return lines
}

// jsonLines does the same for a JSON object that begins at the line.
func jsonLines(object []byte, line int) map[int]int {
	lines := map[int]int{}
	decoder := json.NewDecoder(bytes.NewReader(object))
	var skipped json.RawMessage
	if _, err := decoder.Token(); err != nil {
		return nil
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil
		}
		if key != "items" {
			if decoder.Decode(&skipped) != nil {
				return nil
			}
			continue
		}
		if open, err := decoder.Token(); err != nil || open != json.Delim('[') {
			return nil
		}
		for item := 0; decoder.More(); item++ {
			start := skip(object, int(decoder.InputOffset()))
			lines[item] = line + bytes.Count(object[:start], []byte("\n"))
			if decoder.Decode(&skipped) != nil {
				return nil
			}
		}
		return lines
	}
	return lines
}
