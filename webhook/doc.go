// Package webhook is the mouth of the admission server: an AdmissionReview in,
// package review's verdict, an AdmissionReview out.
//
// It decodes no more of a request than is judged, and one responder writes all
// that a verdict leaves behind: the response, the log line, the metrics, the
// audit annotations, and what a Recorder makes Events of. It decides nothing
// and reads nothing.
package webhook
