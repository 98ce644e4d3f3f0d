package main

import "millrace/consumers/extract/documents"

func compareTwins(*documents.Reader, string, bool) error { return nil }
