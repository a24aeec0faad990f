package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"
)

// mostFirstPaint is the limit in milliseconds for the median time of a page, from the request to its last byte.
const mostFirstPaint = 100.0

func dashboardCommand() *cli.Command {
	return &cli.Command{
		Name:  "dashboard",
		Usage: "measure how long the server takes for each page of the dashboard",
		Description: "Fills a store as bench hooks does, opens the dashboard as memory open does, and asks for each page\n" +
			"as a browser does: once without measuring, then --runs times. The time is from the request to the last byte of the page.",
		Flags: append(storeFlags(1000, 5000), &cli.IntFlag{Name: "runs", Usage: "requests for each page", Value: 20}),
		Action: func(c *cli.Context) error {
			o, err := storeOptionsOf(c)
			if err != nil {
				return err
			}
			if c.Int("runs") < 1 {
				return errors.New("there must be at least 1 run")
			}
			return onBed(c.Context, c.App.ErrWriter, func(b *bed) error { return b.measureDashboard(c.Context, o, c.Int("runs"), c.App.Writer) })
		},
	}
}

func (b *bed) measureDashboard(ctx context.Context, o storeOptions, runs int, out io.Writer) error {
	spec, err := b.spec(o)
	if err != nil {
		return err
	}
	filled, err := b.fill(ctx, spec)
	if err != nil {
		return err
	}
	visitor, err := b.visit(ctx)
	if err != nil {
		return err
	}
	paths, err := visitor.paths(ctx)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(table, "%d memories, %d of the project\n\npage\tp50 ms\tmost ms\tKB\n", filled.Store, filled.Project)
	var slow []string
	for _, path := range paths {
		times, size, err := visitor.measure(ctx, path, runs)
		if err != nil {
			return err
		}
		half := times[len(times)/2]
		_, _ = fmt.Fprintf(table, "%s\t%.1f\t%.1f\t%.0f\n", nameOf(path), half, times[len(times)-1], float64(size)/1000)
		if half > mostFirstPaint {
			slow = append(slow, nameOf(path))
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if len(slow) > 0 {
		return fmt.Errorf("pages that take more than %g ms: %s", mostFirstPaint, strings.Join(slow, ", "))
	}
	return nil
}

// visitor is a browser that is signed in.
type visitor struct {
	client *http.Client
	base   string
}

func (b *bed) visit(ctx context.Context) (*visitor, error) {
	output, err := b.home.Memory(ctx, "open", "--json")
	if err != nil {
		return nil, err
	}
	var opened struct{ URL, Key string }
	if err := json.Unmarshal(output, &opened); err != nil {
		return nil, fmt.Errorf("read the dashboard's address: %w", err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	v := &visitor{client: &http.Client{Jar: jar}}
	form := strings.NewReader(url.Values{"key": {opened.Key}}.Encode())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, opened.URL+"enter", form)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	_, page, err := v.do(request)
	if err != nil {
		return nil, err
	}
	found := pagesBelow.FindStringSubmatch(page)
	if found == nil {
		return nil, fmt.Errorf("the dashboard does not accept its key: %s", page)
	}
	v.base = strings.TrimSuffix(opened.URL, "/") + found[1]
	return v, nil
}

var (
	pagesBelow  = regexp.MustCompile(`href="(/[a-z2-7]+)/"`)
	memoryLink  = regexp.MustCompile(`href="/[a-z2-7]+(/memories/[0-9a-f]{32}\?[^"]*)"`)
	sessionLink = regexp.MustCompile(`href="/[a-z2-7]+(/sessions/[^"]+)"`)
)

// paths returns the paths of all pages, including one memory and one session.
func (v *visitor) paths(ctx context.Context) ([]string, error) {
	paths := []string{
		"/", "/?skip=5000", "/?status=archived", "/?q=deploy+the+worker+and+its+cache",
		"/sessions", "/model", "/maintenance", "/why?prompt=where+do+we+deploy+the+worker",
	}
	for path, link := range map[string]*regexp.Regexp{"/": memoryLink, "/sessions": sessionLink} {
		_, page, err := v.get(ctx, path)
		if err != nil {
			return nil, err
		}
		found := link.FindStringSubmatch(page)
		if found == nil {
			return nil, fmt.Errorf("%s of the dashboard lists nothing", path)
		}
		paths = append(paths, strings.ReplaceAll(found[1], "&amp;", "&"))
	}
	slices.Sort(paths)
	return paths, nil
}

func nameOf(path string) string {
	if at := strings.Index(path, "project="); at >= 0 {
		path = path[:at-1]
	}
	return path
}

// measure requests a page and returns its size in bytes and the times in milliseconds, shortest first.
func (v *visitor) measure(ctx context.Context, path string, runs int) (times []float64, size int, err error) {
	for i := range runs + 1 {
		took, page, err := v.get(ctx, path)
		if err != nil {
			return nil, 0, err
		}
		if i > 0 { // the first request may load an index
			times = append(times, float64(took.Microseconds())/1000)
		}
		size = len(page)
	}
	slices.Sort(times)
	return times, size, nil
}

func (v *visitor) get(ctx context.Context, path string) (time.Duration, string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, v.base+path, nil)
	if err != nil {
		return 0, "", err
	}
	return v.do(request)
}

func (v *visitor) do(request *http.Request) (time.Duration, string, error) {
	began := time.Now()
	response, err := v.client.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = response.Body.Close() }()
	page, err := io.ReadAll(response.Body)
	took := time.Since(began)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: status %d: %.300s", request.URL.Path, response.StatusCode, page)
	}
	return took, string(page), err
}
