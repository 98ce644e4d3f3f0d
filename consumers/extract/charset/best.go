package charset

func best([]byte) string { return DefaultName }
