package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"

	"google.golang.org/protobuf/encoding/protowire"
)

// sample is one stack of a CPU profile, leaf first, and its CPU time.
type sample struct {
	stack []string // function names
	cpu   int64    // nanoseconds
}

// Field numbers of perftools.profiles.Profile and what is in it (profile.proto of
// google/pprof).
const (
	profileSample, profileLocation, profileFunction, profileString = 2, 4, 5, 6
	sampleLocation, sampleValue                                    = 1, 2
	locationID, locationLine, lineFunction                         = 1, 4, 1
	functionID, functionName                                       = 1, 2
)

var errProfile = errors.New("not a CPU profile")

// readProfile reads the samples of a CPU profile as runtime/pprof writes it.
func readProfile(file string) ([]sample, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if b, err = io.ReadAll(z); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	p := profile{functions: map[uint64]uint64{}, locations: map[uint64][]uint64{}}
	if err := fields(b, p.field); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return p.resolve()
}

// profile collects what stands in the file: samples come before the names.
type profile struct {
	samples   [][2][]uint64 // locations, values
	locations map[uint64][]uint64
	functions map[uint64]uint64
	strings   []string
}

func (p *profile) field(n protowire.Number, _ uint64, b []byte) error {
	switch n {
	case profileSample:
		var s [2][]uint64
		err := fields(b, func(n protowire.Number, v uint64, b []byte) error {
			if n == sampleLocation || n == sampleValue {
				s[n-1] = numbers(s[n-1], v, b)
			}
			return nil
		})
		p.samples = append(p.samples, s)
		return err
	case profileLocation:
		return p.location(b)
	case profileFunction:
		var id, name uint64
		err := fields(b, func(n protowire.Number, v uint64, _ []byte) error {
			switch n {
			case functionID:
				id = v
			case functionName:
				name = v
			}
			return nil
		})
		p.functions[id] = name
		return err
	case profileString:
		p.strings = append(p.strings, string(b))
	}
	return nil
}

// location keeps the functions of an address: several where one was inlined.
func (p *profile) location(b []byte) error {
	var id uint64
	var lines []uint64
	err := fields(b, func(n protowire.Number, v uint64, b []byte) error {
		switch n {
		case locationID:
			id = v
		case locationLine:
			return fields(b, func(n protowire.Number, v uint64, _ []byte) error {
				if n == lineFunction {
					lines = append(lines, v)
				}
				return nil
			})
		}
		return nil
	})
	p.locations[id] = lines
	return err
}

func (p *profile) resolve() ([]sample, error) {
	out := make([]sample, 0, len(p.samples))
	for _, s := range p.samples {
		if len(s[1]) != 2 { // samples and nanoseconds
			return nil, errProfile
		}
		one := sample{cpu: int64(s[1][1])}
		for _, at := range s[0] {
			for _, f := range p.locations[at] {
				name := p.functions[f]
				if name >= uint64(len(p.strings)) {
					return nil, errProfile
				}
				one.stack = append(one.stack, p.strings[name])
			}
		}
		out = append(out, one)
	}
	return out, nil
}

// fields calls fn for the fields of a message: v of a number, b of bytes.
func fields(b []byte, fn func(n protowire.Number, v uint64, b []byte) error) error {
	for len(b) > 0 {
		n, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			return protowire.ParseError(size)
		}
		b = b[size:]
		var v uint64
		var value []byte
		switch kind {
		case protowire.VarintType:
			v, size = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			value, size = protowire.ConsumeBytes(b)
		default:
			size = protowire.ConsumeFieldValue(n, kind, b)
		}
		if size < 0 {
			return protowire.ParseError(size)
		}
		if err := fn(n, v, value); err != nil {
			return err
		}
		b = b[size:]
	}
	return nil
}

// numbers appends a repeated number, packed or not.
func numbers(to []uint64, v uint64, packed []byte) []uint64 {
	if packed == nil {
		return append(to, v)
	}
	for len(packed) > 0 {
		v, size := protowire.ConsumeVarint(packed)
		if size < 0 {
			break
		}
		to, packed = append(to, v), packed[size:]
	}
	return to
}
