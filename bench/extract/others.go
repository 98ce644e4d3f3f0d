package main

// others measures what is not a set of pages with a truth.
func (m *measurement) others() error {
	for _, part := range []struct {
		name string
		run  func() error
	}{{"charset", m.charsets}, {"html5", m.html5}, {"trees", m.trees}, {"speed", m.speed}} {
		if m.only != "" && m.only != part.name {
			continue
		}
		if err := part.run(); err != nil {
			return err
		}
	}
	return nil
}
