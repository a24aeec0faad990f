package surreal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// section describes how to read the rows of one section of an export. Rows are read in the order of IDs, a page at a time.
type section struct {
	table, fields string
	ofProject     string                                       // the condition that selects one project
	decode        func(wire.Results, *memory.ExportPage) error // decodes the first result
}

var exported = map[memory.Section]section{
	memory.SectionProject: sectionOf(projectCodec, "record::id(id)",
		func(p *memory.ExportPage) *[]memory.Project { return &p.Projects }),
	memory.SectionSession: sectionOf(sessionCodec, "project",
		func(p *memory.ExportPage) *[]memory.Session { return &p.Sessions }),
	memory.SectionPrompt: sectionOf(promptCodec, "project",
		func(p *memory.ExportPage) *[]memory.Prompt { return &p.Prompts }),
	memory.SectionMemory: sectionOf(memoryCodec, "project",
		func(p *memory.ExportPage) *[]memory.Memory { return &p.Memories }),
	memory.SectionSighting: sectionOf(sightingCodec, "in.project",
		func(p *memory.ExportPage) *[]memory.Sighting { return &p.Sightings }),
	memory.SectionEvent: sectionOf(eventCodec, "session.project",
		func(p *memory.ExportPage) *[]memory.EventRow { return &p.Events }),
}

func sectionOf[T any](c codec[T], project string, into func(*memory.ExportPage) *[]T) section {
	return section{
		c.table, c.fields(), project + " = $project",
		func(result wire.Results, page *memory.ExportPage) (err error) {
			*into(page), err = c.decode(result, 0)
			return err
		},
	}
}

func (s *Store) Export(ctx context.Context, q memory.ExportQuery) (memory.ExportPage, error) {
	section, known := exported[q.Section]
	if !known {
		return memory.ExportPage{}, fmt.Errorf("export %q: there is no such section: %w", q.Section, memory.ErrInvalid)
	}
	if q.Limit <= 0 {
		q.Limit = memory.ExportLimit
	}
	if !q.Before.IsZero() {
		events, err := list(ctx, s, eventCodec, "find the events before "+q.Before.Format(time.DateOnly),
			"SELECT "+eventCodec.all+" FROM event WHERE at < $before ORDER BY at LIMIT $limit",
			map[string]any{"before": at(q.Before), "limit": q.Limit})
		return memory.ExportPage{Events: events}, err
	}
	where := ""
	if q.Project != "" {
		where = " WHERE " + section.ofProject
	}
	// The condition is outside the page's query: inside, the engine would read the rest of the table for each page.
	sql := "LET $page = (SELECT * FROM type::record('" + section.table + "', $after>..) LIMIT $limit);" +
		"SELECT " + section.fields + " FROM $page" + where + ";" +
		"RETURN { last: IF array::is_empty($page) { '' } ELSE { record::id(array::last($page).id) }, rows: array::len($page) };"
	result, err := s.ask(ctx, fmt.Sprintf("export the %ss", q.Section), sql,
		map[string]any{"after": q.After, "project": q.Project, "limit": q.Limit})
	if err != nil {
		return memory.ExportPage{}, err
	}
	var page memory.ExportPage
	var end struct {
		Last string `json:"last"`
		Rows int    `json:"rows"`
	}
	if err := errors.Join(section.decode(result[1:], &page), result.Decode(2, &end)); err != nil {
		return memory.ExportPage{}, fmt.Errorf("export the %ss: %w", q.Section, err)
	}
	if end.Rows == q.Limit {
		page.Next = end.Last
	}
	return page, nil
}
