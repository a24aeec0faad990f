package dashboard

import (
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"net/http"
)

// doorPage is a page for a browser that was not let in, or whose request is refused.
type doorPage struct {
	Title, Text string
	To          string // where the browser goes on by itself; empty: it stays
	AsksForKey  bool
	Style       template.CSS
}

var (
	doorTemplate = template.Must(template.ParseFS(files, "templates/door.html"))
	// The style is inside the page, because no file is served to strangers. The policy allows this one text.
	doorStyle, doorPolicy = styleInPage()
)

func styleInPage() (style template.CSS, policy string) {
	text, err := files.ReadFile("static/style.css")
	if err != nil {
		panic("dashboard: " + err.Error()) // it is embedded, so every test would see it
	}
	hash := sha256.Sum256(text)
	source := "'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"
	return template.CSS(text), "default-src 'none'; img-src data:; style-src " + source + "; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}

func (p doorPage) write(w http.ResponseWriter, status int) {
	p.Style = doorStyle
	w.Header().Set("Content-Security-Policy", doorPolicy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = doorTemplate.Execute(w, p) // the browser has gone
}

// refuse shows the reason why a request is not answered.
func refuse(w http.ResponseWriter, status int, reason string) {
	doorPage{Title: "This request is refused", Text: reason}.write(w, status)
}
