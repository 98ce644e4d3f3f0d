package wire

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// layoutVersion is the version of the contents of a data directory. A directory with another one is
// refused, not changed.
const layoutVersion = "2"

// DataDir is a data directory: broker, state, index, and the files with which other commands find
// the process that uses it.
//
//	layout    version of the directory
//	lock      pid of the process that uses it, locked while it does
//	address   where that process listens
//	token     what calls that change something must carry (mode 0600)
//	kafka-secret, kcat.conf   the login of readers (mode 0600), if kafka-listen is set
//	id        its counters' name among those of other directories
//	log/ state/ index/
//	pdf/      the compiled reader of PDF, about 40 MB, made when the first one comes; may be deleted
type DataDir struct {
	Path string
	lock *os.File
}

// InUseError says that another process uses the data directory.
type InUseError struct {
	Path string
	PID  int
}

// Error implements error.
func (e *InUseError) Error() string {
	return fmt.Sprintf("data directory %s is in use by process %d", e.Path, e.PID)
}

// OpenDataDir locks a directory, and creates it if there is none. If another process has it, it
// returns an *InUseError.
func OpenDataDir(path string) (*DataDir, error) {
	if err := notInside(path); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, unusable(path, err)
	}
	d := &DataDir{Path: path}
	if err := d.takeLock(); err != nil {
		return nil, err
	}
	if err := errors.Join(d.checkLayout(), d.makeOnce("token"), d.makeOnce("id")); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// unusable says what to do about a directory that the system does not give.
func unusable(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("data directory %s: %w: the user who runs millrace must own all of it: run as its owner, or name another directory with --data", path, err)
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EEXIST):
		return fmt.Errorf("data directory %s: %w: a file is there: name a directory with --data", path, err)
	}
	return fmt.Errorf("data directory %s: %w", path, err)
}

// notInside refuses a new crawl inside the directory of another one, where each would meet the
// other's files.
func notInside(path string) error {
	if exists(filepath.Join(path, "layout")) {
		return nil
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return unusable(path, err)
	}
	if at := crawlAbove(filepath.Dir(whole)); at != "" {
		return fmt.Errorf("data directory %s lies inside %s, which holds a crawl: name that one with --data, or a directory beside it", path, at)
	}
	return nil
}

// crawlAbove returns the data directory that a path is or lies in; "" if there is none.
func crawlAbove(whole string) string {
	for at := whole; ; at = filepath.Dir(at) {
		if exists(filepath.Join(at, "layout")) && exists(filepath.Join(at, "lock")) && exists(filepath.Join(at, "id")) {
			return at
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

const (
	// passWithin is how long a process waits for a directory that another holds for a moment.
	passWithin = 5 * time.Second
	passAgain  = 50 * time.Millisecond
)

// openFree is OpenDataDir for one that stays. Commands that ask (status, search) hold a directory
// for a moment, while no process uses it, and so does a process that ends; they have no address
// there. openFree waits for them, at most passWithin.
func openFree(ctx context.Context, path string) (*DataDir, error) {
	ctx, cancel := context.WithTimeout(ctx, passWithin)
	defer cancel()
	for {
		d, err := OpenDataDir(path)
		var held *InUseError
		if !errors.As(err, &held) {
			return d, err
		}
		if _, _, stays := Running(path); stays {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(passAgain):
		}
	}
}

func (d *DataDir) takeLock() error {
	f, err := os.OpenFile(d.file("lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return unusable(d.Path, err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		b, _ := os.ReadFile(d.file("lock"))
		pid, _ := strconv.Atoi(strings.TrimSpace(string(b)))
		return errors.Join(&InUseError{d.Path, pid}, f.Close())
	}
	d.lock = f
	_ = os.Remove(d.file("address")) // of a process that was killed: another server there must not get the token
	if err := f.Truncate(0); err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

func (d *DataDir) checkLayout() error {
	b, err := os.ReadFile(d.file("layout"))
	if errors.Is(err, os.ErrNotExist) {
		err = writeFile(d.file("layout"), layoutVersion+"\n")
		b = []byte(layoutVersion)
	}
	if err != nil {
		return unusable(d.Path, err)
	}
	v := strings.TrimSpace(string(b))
	switch n, err := strconv.Atoi(v); {
	case v == layoutVersion:
		return nil
	case err != nil || n < 1:
		return fmt.Errorf("data directory %s: the file layout is damaged, it should hold one number: if this version of millrace made the directory, "+
			"write %s into it; nothing else was touched", d.Path, layoutVersion)
	}
	return fmt.Errorf("data directory %s has layout %q, this millrace reads %q: use the millrace that made it, or another directory", d.Path, v, layoutVersion)
}

// makeOnce writes a file with random text, if it does not exist or is empty, as a power failure may
// leave it. A file that holds something else than a word is an error.
func (d *DataDir) makeOnce(name string) error {
	b, err := os.ReadFile(d.file(name))
	text := strings.TrimSpace(string(b))
	switch {
	case errors.Is(err, os.ErrNotExist), err == nil && text == "":
		return writeFile(d.file(name), rand.Text()+"\n")
	case err != nil:
		return unusable(d.Path, err)
	case !isWord(text):
		return fmt.Errorf("data directory %s: the file %s is damaged, it should hold one word of %d to %d letters and digits: delete it, the next start makes a new one",
			d.Path, name, shortestWord, longestWord)
	}
	return nil
}

// Lengths of the words in token and id.
const (
	shortestWord = 16
	longestWord  = 256
)

// isWord reports whether a text is printable ASCII without spaces, and neither short nor long.
func isWord(text string) bool {
	return len(text) >= shortestWord && len(text) <= longestWord &&
		!strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// Token returns the token that HTTP requests which change something must carry.
func (d *DataDir) Token() (string, error) { return readLine(d.file("token")) }

// ID returns a random name of the directory.
func (d *DataDir) ID() (string, error) { return readLine(d.file("id")) }

// SetAddress writes the address of this process for other commands.
func (d *DataDir) SetAddress(addr string) error { return writeFile(d.file("address"), addr+"\n") }

// Close unlocks the directory.
func (d *DataDir) Close() {
	_ = os.Remove(d.file("address"))
	if d.lock != nil {
		_ = d.lock.Close() // ends the lock
	}
}

func (d *DataDir) file(name string) string { return filepath.Join(d.Path, name) }

// Running returns address and token of the process that uses a directory; ok is false if no process
// does.
func Running(path string) (addr, token string, ok bool) {
	addr, err := readLine(filepath.Join(path, "address"))
	if err != nil {
		return "", "", false
	}
	token, err = readLine(filepath.Join(path, "token"))
	return addr, token, err == nil
}

func readLine(path string) (string, error) {
	b, err := os.ReadFile(path)
	return strings.TrimSpace(string(b)), err
}

// writeFile writes a small file so that readers see all of it or none, also after a power failure.
func writeFile(path, text string) error {
	tmp := path + ".new"
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}
