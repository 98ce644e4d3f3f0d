package main

func (m *measurement) others() error { return nil }
