// Package lineage holds the tests of lineage/cluster that need a real API
// server: what its answers look like on the wire, and kinds that come and go.
package lineage
