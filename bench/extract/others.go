package main

func (m *measurement) others() error {
	if m.only == "" || m.only == "charset" {
		return m.charsets()
	}
	return nil
}
