package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// browser is a Chromium that is driven through the DevTools protocol, on two pipes: its descriptors
// 3 and 4, a zero byte after each message.
type browser struct {
	cmd      *exec.Cmd
	to       *os.File
	from     *bufio.Reader
	profile  string
	sent     int
	session  string
	loaded   bool     // since the last go
	heard    []string // what the page complained about since the last go
	forgiven string   // the address whose own status is no complaint
}

// message is an answer, or an event if it has no ID.
type message struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// find returns the program of a browser: the named one, or the first that is installed.
func find(named string) (string, error) {
	names := []string{"chromium", "chromium-browser", "google-chrome"}
	if named != "" {
		names = []string{named}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no browser: none of %s is here; install Chromium, or name it with -browser", strings.Join(names, ", "))
}

// open starts a browser with an empty profile and one page. It ends with ctx.
func open(ctx context.Context, path string) (*browser, error) {
	profile, err := os.MkdirTemp("", "millrace-pages-")
	if err != nil {
		return nil, err
	}
	flags := []string{"--headless", "--remote-debugging-pipe", "--user-data-dir=" + profile, "--disable-gpu", "--no-first-run",
		"--disable-background-networking", "--disable-dev-shm-usage", "--disable-extensions", "--hide-scrollbars", "--force-device-scale-factor=1"}
	if os.Geteuid() == 0 {
		flags = append(flags, "--no-sandbox") // Chromium does not start as root with it
	}
	b := &browser{cmd: exec.CommandContext(ctx, path, flags...), profile: profile}
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	b.to, b.from, b.cmd.ExtraFiles = ourOut, bufio.NewReader(ourIn), []*os.File{theirIn, theirOut}
	if err := b.cmd.Start(); err != nil {
		return nil, err
	}
	err = errors.Join(theirIn.Close(), theirOut.Close(), b.attach())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), b.close())
	}
	return b, nil
}

// attach opens a page and asks for its events.
func (b *browser) attach() error {
	var target struct{ TargetID string }
	if err := b.call("Target.createTarget", values{"url": "about:blank"}, &target); err != nil {
		return err
	}
	var session struct{ SessionID string }
	if err := b.call("Target.attachToTarget", values{"targetId": target.TargetID, "flatten": true}, &session); err != nil {
		return err
	}
	b.session = session.SessionID
	for _, part := range []string{"Page", "Runtime", "Log"} {
		if err := b.call(part+".enable", nil, nil); err != nil {
			return err
		}
	}
	return nil
}

// close ends the browser and removes its profile.
func (b *browser) close() error {
	_ = b.to.Close()
	_ = b.cmd.Process.Kill()
	_ = b.cmd.Wait() // killed
	return os.RemoveAll(b.profile)
}

// values are the parameters of a call.
type values map[string]any

// call sends a command and waits for its answer.
func (b *browser) call(method string, params values, answer any) error {
	b.sent++
	text, err := json.Marshal(struct {
		ID        int    `json:"id"`
		Method    string `json:"method"`
		Params    values `json:"params,omitempty"`
		SessionID string `json:"sessionId,omitempty"`
	}{b.sent, method, params, b.session})
	if err != nil {
		return err
	}
	if _, err := b.to.Write(append(text, 0)); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	for {
		m, err := b.next()
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", method, err)
		case m.ID != b.sent:
			continue
		case m.Error != nil:
			return fmt.Errorf("%s: %s", method, m.Error.Message)
		case answer == nil:
			return nil
		}
		return json.Unmarshal(m.Result, answer)
	}
}

// next reads one message and notes what an event says.
func (b *browser) next() (message, error) {
	text, err := b.from.ReadBytes(0)
	if err != nil {
		return message{}, fmt.Errorf("the browser ended: %w", err)
	}
	var m message
	if err := json.Unmarshal(text[:len(text)-1], &m); err != nil {
		return message{}, err
	}
	switch m.Method {
	case "Page.loadEventFired":
		b.loaded = true
	case "Runtime.exceptionThrown":
		b.heard = append(b.heard, "a script failed: "+string(m.Params))
	case "Log.entryAdded":
		var p struct {
			Entry struct{ Level, Text, URL string }
		}
		if err := json.Unmarshal(m.Params, &p); err != nil {
			return message{}, err
		}
		if p.Entry.Level == "error" && p.Entry.URL != b.forgiven {
			b.heard = append(b.heard, p.Entry.Text+" "+p.Entry.URL)
		}
	}
	return m, nil
}

// visit loads a page. That its own status is an error is no complaint: such pages are looked at,
// too.
func (b *browser) visit(address string) error {
	b.loaded, b.heard, b.forgiven = false, nil, address
	var answer struct{ ErrorText string }
	if err := b.call("Page.navigate", values{"url": address}, &answer); err != nil {
		return err
	}
	if answer.ErrorText != "" {
		return errors.New(address + ": " + answer.ErrorText)
	}
	for !b.loaded {
		if _, err := b.next(); err != nil {
			return err
		}
	}
	return nil
}

// scripts lets pages run theirs, or not.
func (b *browser) scripts(on bool) error {
	return b.call("Emulation.setScriptExecutionDisabled", values{"value": !on}, nil)
}

// run runs a script in the page and waits for its value.
func (b *browser) run(script string, value any) error {
	var answer struct {
		Result    struct{ Value json.RawMessage }
		Exception *struct {
			Exception struct{ Description string }
		} `json:"exceptionDetails"`
	}
	if err := b.call("Runtime.evaluate", values{"expression": script, "awaitPromise": true, "returnByValue": true}, &answer); err != nil {
		return err
	}
	if answer.Exception != nil {
		return errors.New(answer.Exception.Exception.Description)
	}
	if value == nil {
		return nil
	}
	return json.Unmarshal(answer.Result.Value, value)
}

// picture writes a PNG of the whole page.
func (b *browser) picture(name string) error {
	var answer struct{ Data []byte }
	if err := b.call("Page.captureScreenshot", values{"format": "png", "captureBeyondViewport": true}, &answer); err != nil {
		return err
	}
	return os.WriteFile(name, answer.Data, 0o644)
}
