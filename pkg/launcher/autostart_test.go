package launcher_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/launcher"
)

// system notes what it is asked to do; a task is known from its creation to its deletion.
type system struct {
	asked []string
	task  bool
	fails string // the beginning of what does not work
}

func (s *system) run(_ context.Context, name string, args ...string) ([]byte, error) {
	command := strings.Join(append([]string{name}, args...), " ")
	if strings.HasPrefix(command, "schtasks /Query") {
		if !s.task {
			return nil, errors.New("exit status 1")
		}
		return nil, nil
	}
	s.asked = append(s.asked, command)
	if s.fails != "" && strings.HasPrefix(command, s.fails) {
		return []byte("no bus\n"), errors.New("exit status 1")
	}
	if name == "schtasks" {
		s.task = s.task && args[0] != "/Delete" || args[0] == "/Create"
	}
	return nil, nil
}

func TestAServiceIsInstalledAndRemoved(t *testing.T) {
	for name, want := range map[string]struct{ described, register, forget []string }{
		"linux": {
			[]string{`ExecStart="/opt/a b/100%%/memoryd"`, `Environment="MEMORY_HOME=/home/x y"`, "WantedBy=default.target"},
			[]string{"systemctl --user daemon-reload", "systemctl --user enable --now memory.service"},
			[]string{"systemctl --user disable --now memory.service"},
		},
		"darwin": {
			[]string{"<string>/opt/a b/100%/memoryd</string>", "<key>MEMORY_HOME</key><string>/home/x y</string>", "<key>RunAtLoad</key><true/>"},
			[]string{"launchctl bootstrap gui/501 {file}"},
			[]string{"launchctl bootout gui/501/memory"},
		},
		"windows": {
			nil,
			[]string{`schtasks /Create /F /SC ONLOGON /TN memory /TR cmd /c set "MEMORY_HOME=/home/x y"&& start "" /b "/opt/a b/100%/memoryd"`, "schtasks /Run /TN memory"},
			[]string{"schtasks /End /TN memory", "schtasks /Delete /F /TN memory"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			here := &system{}
			service := launcher.Service{
				Name: "memory", Description: "the memory", Program: "/opt/a b/100%/memoryd", Env: map[string]string{"MEMORY_HOME": "/home/x y"},
				System: name, Home: t.TempDir(), UID: 501, Run: here.run,
			}
			if removed, err := service.Remove(t.Context()); removed || err != nil || service.IsInstalled(t.Context()) {
				t.Errorf("removed what is not there: %v, %v", removed, err)
			}
			where, err := service.Install(t.Context())
			if err != nil || !service.IsInstalled(t.Context()) {
				t.Fatalf("installed in %q: %v", where, err)
			}
			for _, part := range want.described {
				if content, err := os.ReadFile(where); err != nil || !strings.Contains(string(content), part) {
					t.Errorf("%s has %q (%v), want %q in it", where, content, err, part)
				}
			}
			for i := range want.register {
				want.register[i] = strings.ReplaceAll(want.register[i], "{file}", where)
			}
			if !slices.Equal(here.asked, want.register) {
				t.Errorf("asked %q, want %q", here.asked, want.register)
			}
			if program, file, err := service.Registered(); err != nil || name != "windows" && (program != service.Program || file != where) {
				t.Errorf("registered is %q in %q, %v", program, file, err)
			}
			here.asked = nil
			if _, err := service.Install(t.Context()); err != nil { // again: it replaces
				t.Fatal(err)
			}
			here.asked = nil
			removed, err := service.Remove(t.Context())
			if program, _, err := service.Registered(); program != "" || err != nil {
				t.Errorf("after its removal %q is registered, %v", program, err)
			}
			if !removed || err != nil || service.IsInstalled(t.Context()) || !slices.Equal(here.asked, want.forget) {
				t.Errorf("removed %v, %v, asked %q, want %q", removed, err, here.asked, want.forget)
			}
		})
	}
}

func TestAServiceThatCannotBeRegisteredLeavesNothing(t *testing.T) {
	here := &system{fails: "systemctl --user enable"}
	service := launcher.Service{Name: "memory", Program: "/memoryd", System: "linux", Home: t.TempDir(), Run: here.run}
	if _, err := service.Install(t.Context()); err == nil || !strings.Contains(err.Error(), "no bus") || service.IsInstalled(t.Context()) {
		t.Errorf("error %v, installed %v", err, service.IsInstalled(t.Context()))
	}
	service.System = "plan9"
	if _, err := service.Install(t.Context()); !errors.Is(err, launcher.ErrNoAutostart) {
		t.Error(err)
	}
}
