package input

import (
	"errors"
	"io"
	"runtime"

	"github.com/cozystack/affinityclass/lineage/manifest"
)

// Work is what is made of each object. Both may be called by many goroutines.
type Work[T any] struct {
	Reduce func(*manifest.Document) (T, error)
	// Number is told how many objects of the file stand before those that were read
	// together with this one; its own number counts only these.
	Number func(made *T, before int)
}

// Parallel reads the objects of every path on all processors, as Read does, and
// gives what was made of them in their order. No more of the text is held than is
// being read. A file may be compressed by gzip.
func Parallel[T any](s Source, paths []string, work Work[T]) ([]T, error) {
	stop := make(chan struct{})
	defer close(stop)
	p := &pool[T]{work: work, todo: make(chan *task[T]), order: make(chan *task[T], ahead*runtime.GOMAXPROCS(0)), stop: stop}
	for range runtime.GOMAXPROCS(0) {
		go p.serve()
	}
	go p.feed(s, paths)
	var all []T
	before, file := 0, -1
	for t := range p.order {
		<-t.done
		if t.file != file {
			before, file = 0, t.file
		}
		if t.err != nil {
			return nil, manifest.NumberError(t.err, before)
		}
		for i := range t.made {
			work.Number(&t.made[i], before)
		}
		before += len(t.made)
		all = append(all, t.made...)
	}
	return all, nil
}

// ahead is how many texts for each processor may be read from files and wait.
const ahead = 4

// task is one text, or an error that reading ended with.
type task[T any] struct {
	file int
	text manifest.Text
	made []T
	err  error
	done chan struct{}
}

type pool[T any] struct {
	work  Work[T]
	todo  chan *task[T]
	order chan *task[T]
	stop  chan struct{}
}

func (p *pool[T]) serve() {
	for t := range p.todo {
		t.made, t.err = p.reduce(t.text)
		t.text = manifest.Text{}
		close(t.done)
	}
}

func (p *pool[T]) reduce(text manifest.Text) ([]T, error) {
	documents, failed := text.Documents()
	made := make([]T, 0, len(documents))
	for i := range documents {
		one, err := p.work.Reduce(&documents[i])
		if err != nil {
			return nil, err // it stands before what could not be read
		}
		made = append(made, one)
	}
	return made, failed
}

// feed hands out the texts of the files until the work is over, or nobody asks.
func (p *pool[T]) feed(s Source, paths []string) {
	defer close(p.order)
	defer close(p.todo)
	n := 0
	for _, path := range paths {
		files, err := s.expand(path)
		if err != nil {
			p.fail(n, err)
			return
		}
		for _, file := range files {
			if err := p.feedFile(s, file, n); err != nil {
				p.fail(n, err)
				return
			}
			n++
		}
	}
}

// errStopped says that nobody waits for more.
var errStopped = errors.New("stopped")

func (p *pool[T]) feedFile(s Source, file string, n int) error {
	reader, end, err := s.open(file)
	if err != nil {
		return err
	}
	defer end()
	for {
		text, err := reader.NextText()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !p.hand(&task[T]{file: n, text: text, done: make(chan struct{})}) {
			return errStopped
		}
	}
}

// hand gives a task its place in the order, then to whoever is free.
func (p *pool[T]) hand(t *task[T]) bool {
	select {
	case p.order <- t:
	case <-p.stop:
		return false
	}
	select {
	case p.todo <- t:
		return true
	case <-p.stop:
		return false
	}
}

func (p *pool[T]) fail(file int, err error) {
	t := &task[T]{file: file, err: err, done: make(chan struct{})}
	close(t.done)
	select {
	case p.order <- t:
	case <-p.stop:
	}
}
