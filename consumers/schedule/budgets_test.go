package schedule

import "testing"

// The partitions of a process share what they know of a site: what one of them adds counts for all
// at once, also while it is not in the store yet.
func TestPartitionsShareTheNumberOfHostsOfASite(t *testing.T) {
	var s siteCounts
	if _, known := s.of("a.test", 1000); known {
		t.Fatal("a number is known that nobody read")
	}
	s.know("a.test", 5, 1000)
	for range 4 { // another partition adds four hosts
		s.add("a.test", 1500)
	}
	if n, known := s.of("a.test", 1900); n != 9 || !known {
		t.Errorf("%d hosts, known %t, want 9", n, known)
	}
	if _, known := s.of("a.test", 2100); known {
		t.Error("the number is not read again after a second")
	}
	if n := s.know("a.test", 6, 2100); n != 9 {
		t.Errorf("%d hosts, want 9: three of them are not in the store yet", n)
	}
	if n := s.know("a.test", 8, 1500+siteAddedKeep); n != 8 {
		t.Errorf("%d hosts, want the 8 of the store: what was added is there, or was taken back", n)
	}
}
