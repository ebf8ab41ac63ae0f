package webhook

import (
	"bytes"
	"context"
	"errors"
	"mime"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Limits bound what one request and all requests together may cost.
type Limits struct {
	Body       int64         // bytes of one request; a review may carry an object and its old self
	InFlight   int64         // bytes of all requests that are read or judged; others wait unread
	Concurrent int           // reviews at work; others wait for a place
	Deadline   time.Duration // of one review, waiting included; shorter than the webhook's timeout
}

// DefaultLimits are the server's.
func DefaultLimits() Limits {
	return Limits{Body: 7 << 20, InFlight: 128 << 20, Concurrent: 512, Deadline: 3 * time.Second}
}

// Load is what all paths of a server together have at work. Make it with NewLoad.
type Load struct {
	bytes  *semaphore.Weighted
	places chan struct{}
}

// NewLoad makes a Load of these limits.
func NewLoad(limits Limits) *Load {
	return &Load{bytes: semaphore.NewWeighted(limits.InFlight), places: make(chan struct{}, limits.Concurrent)}
}

// endpoint decodes and answers one review.
type endpoint func(ctx context.Context, body []byte) response

// judging makes an endpoint of a judge of requests about objects of which T is
// the part judged. The judge's error says that this path does not judge such a
// request.
func judging[T any](config *Config, judge func(context.Context, *request[T]) (response, error)) endpoint {
	return func(ctx context.Context, body []byte) response {
		req, err := decode[T](body)
		if err != nil {
			return malformed(config, req.UID, err)
		}
		answer, err := judge(ctx, req)
		if err != nil {
			return malformed(config, req.UID, err)
		}
		return answer
	}
}

func malformed(config *Config, uid types.UID, err error) response {
	config.Metrics.failed.WithLabelValues(failMalformed).Inc()
	config.Log.Info("review refused", "uid", uid, "error", err.Error())
	return refuse(uid, http.StatusBadRequest, metav1.StatusReasonBadRequest, err.Error())
}

// handler is what every path has in common: bounds, and an answer whatever
// happens inside.
type handler struct {
	endpoint endpoint
	config   *Config
	load     *Load
	buffers  *sync.Pool
}

func newHandler(config *Config, endpoint endpoint) *handler {
	load := config.Load
	if load == nil {
		load = NewLoad(config.Limits)
	}
	return &handler{
		endpoint: endpoint, config: config, load: load,
		buffers: &sync.Pool{New: func() any { return new(bytes.Buffer) }},
	}
}

// ServeHTTP answers with a review wherever the request's uid can be told; with a
// plain HTTP error otherwise, which the API server treats as our failure.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer h.recover(w)
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		h.fail(w, failMalformed, http.StatusUnsupportedMediaType, "send application/json")
		return
	}
	// Not the request's own end: at shutdown that comes at once, and the reviews
	// in flight are still to be answered.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), h.config.Limits.Deadline)
	defer cancel()
	size := h.size(r)
	if err := h.load.bytes.Acquire(ctx, size); err != nil {
		h.fail(w, failOverload, http.StatusServiceUnavailable, "too many reviews at work")
		return
	}
	defer h.load.bytes.Release(size)
	buffer := h.buffers.Get().(*bytes.Buffer)
	defer h.release(buffer)
	if err := h.read(buffer, w, r); err != nil {
		h.unreadable(w, err)
		return
	}
	h.send(w, h.answer(ctx, buffer.Bytes()))
}

// size is what a request may take; one that does not tell is taken for the largest.
func (h *handler) size(r *http.Request) int64 {
	if r.ContentLength < 0 {
		return h.config.Limits.Body
	}
	return min(r.ContentLength, h.config.Limits.Body)
}

// read takes the body, within its bound and within the review's deadline: a
// sender that stalls holds nothing here for longer.
func (h *handler) read(buffer *bytes.Buffer, w http.ResponseWriter, r *http.Request) error {
	err := http.NewResponseController(w).SetReadDeadline(time.Now().Add(h.config.Limits.Deadline))
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if r.ContentLength > h.config.Limits.Body {
		return &http.MaxBytesError{Limit: h.config.Limits.Body}
	}
	if r.ContentLength > 0 {
		buffer.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	_, err = buffer.ReadFrom(http.MaxBytesReader(w, r.Body, h.config.Limits.Body))
	return err
}

func (h *handler) unreadable(w http.ResponseWriter, err error) {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		h.fail(w, failTooLarge, http.StatusRequestEntityTooLarge, "the review is larger than the server's bound")
		return
	}
	h.fail(w, failMalformed, http.StatusBadRequest, "the review could not be read")
}

func (h *handler) answer(ctx context.Context, body []byte) response {
	select {
	case h.load.places <- struct{}{}:
		defer func() { <-h.load.places }()
	case <-ctx.Done():
		h.config.Metrics.failed.WithLabelValues(failOverload).Inc()
		return refuse(uidOf(body), http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable,
			"the affinity webhook has too many reviews at work; try again")
	}
	return h.endpoint(ctx, body)
}

// send writes an answer; one without a uid is no review, and becomes an HTTP error.
func (h *handler) send(w http.ResponseWriter, r response) {
	if r.UID == "" {
		http.Error(w, r.Status.Message, int(r.Status.Code))
		return
	}
	if err := write(w, r); err != nil {
		h.config.Log.Error(err, "answer not written", "uid", r.UID)
	}
}

func (h *handler) fail(w http.ResponseWriter, why string, code int, message string) {
	h.config.Metrics.failed.WithLabelValues(why).Inc()
	http.Error(w, message, code)
}

// recover keeps the server alive through a panic in one review, and admits
// nothing by it.
func (h *handler) recover(w http.ResponseWriter) {
	cause := recover()
	if cause == nil {
		return
	}
	h.config.Log.Error(nil, "panic in a review", "cause", cause, "stack", string(debug.Stack()))
	h.fail(w, failPanic, http.StatusInternalServerError, "the affinity webhook failed on this review")
}

const keptBuffer = 64 << 10 // bytes; a larger one is left to the collector

func (h *handler) release(buffer *bytes.Buffer) {
	if buffer.Cap() > keptBuffer {
		return
	}
	buffer.Reset()
	h.buffers.Put(buffer)
}
