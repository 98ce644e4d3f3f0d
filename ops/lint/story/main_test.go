package main

import "testing"

func TestTheStoryOfARecordCanBeReadInOneSitting(t *testing.T) {
	words, total, err := measure("../../..")
	if err != nil {
		t.Fatal(err)
	}
	if total > maxWords {
		t.Errorf("%d words, at most %d: %v", total, maxWords, words)
	}
}
