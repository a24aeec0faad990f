package dashboard

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/defuse"
)

//go:embed templates style.css
var files embed.FS

// frame is the common data of all pages, with the page's own data.
type frame struct {
	Base     string // path below which all pages are
	Page     string // name of the page's template
	Title    string
	Project  string // key of the chosen project; empty if there is none yet
	Projects []memory.Project
	Here     string // address of this page below Base, to which forms return
	Notice   notice
	Data     any
}

// sections maps the template of a page that the navigation lacks to the entry of the navigation that is highlighted for it.
var sections = map[string]string{
	"detail": "memories", "session": "sessions", "run": "maintenance",
}

// Section returns the page of the navigation that this page belongs to, or "".
func (f frame) Section() string { return sections[f.Page] }

// notice is the result of a form. Run is the run that an undo would revert, or "".
type notice struct{ Text, Run string }

// To returns the address of a page with the chosen project and further parameters, given as pairs.
func (f frame) To(page string, pairs ...any) string {
	values := url.Values{}
	if f.Project != "" {
		values.Set("project", f.Project)
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if value := fmt.Sprint(pairs[i+1]); value != "" {
			values.Set(fmt.Sprint(pairs[i]), value)
		}
	}
	return (&url.URL{Path: f.Base + page, RawQuery: values.Encode()}).String()
}

// views are the templates of the pages, each within the frame.
type views map[string]*template.Template

// parseViews parses the embedded templates. It panics on an error, which tests would find.
func parseViews() views {
	shared := template.Must(template.New("frame.html").Funcs(functions).ParseFS(files, "templates/frame.html",
		"templates/parts.html"))
	pages, _ := fs.Glob(files, "templates/page-*.html")
	all := views{}
	for _, file := range pages {
		name := strings.TrimSuffix(strings.TrimPrefix(path.Base(file), "page-"), ".html")
		all[name] = template.Must(template.Must(shared.Clone()).ParseFS(files, file))
	}
	return all
}

// write renders a page completely before it sends it, so that an error in a template shows nothing.
func (v views) write(w http.ResponseWriter, status int, f frame) error {
	var page bytes.Buffer
	if err := v[f.Page].ExecuteTemplate(&page, "frame.html", f); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, err := w.Write(page.Bytes())
	return err
}

var functions = template.FuncMap{
	"text":   defuse.Visible,
	"reason": func(text string) string { return defuse.Visible(memory.ShortenIDs(text)) },
	"sentence": func(text string) string {
		first, size := utf8.DecodeRuneInString(text)
		return string(unicode.ToUpper(first)) + text[size:] + "."
	},
	"named":   named,
	"short":   memory.ShortID,
	"job":     memory.ShownName,
	"day":     func(at time.Time) string { return at.Local().Format("2 Jan 2006 15:04") },
	"round":   func(n float64) string { return fmt.Sprintf("%.2f", n) },
	"counted": memory.Counted,
	"words":   func(name any) string { return strings.ReplaceAll(fmt.Sprint(name), "_", " ") },
	"base":    func(dir string) string { return path.Base(dir) },
	"of":      func(one, two any) pair { return pair{one, two} },
	"clock":   func(at time.Time) string { return at.Local().Format("15:04:05") },
	"asked":   func(prompt string) string { return memory.Cut(strings.TrimSpace(prompt), mostPrompt) },
	"cut":     func(text string) string { return memory.CutWords(memory.OneLine(text), 240) },
}

// mostPrompt is the maximum number of bytes of a prompt in an address.
const mostPrompt = 1500

// pair passes two values to a template.
type pair struct{ One, Two any }

// named returns the request of a session, or else its summary without the time, or else its first prompt.
func named(s memory.Session) string {
	return cmp.Or(s.Summary.Digest.Request, s.Summary.Words(), s.First)
}
