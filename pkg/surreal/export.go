package surreal

import (
	"context"
	"errors"
	"fmt"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

// section says how the rows of one section of an export are read. A range of ids
// is read in their order, from where the page before ended.
type section struct {
	table, fields, where string
	ofProject            string                                       // the condition on the project, if one is asked for
	decode               func(wire.Results, *memory.ExportPage) error // of the first result
}

var exported = map[memory.Section]section{
	memory.SectionProject: {
		table: "project", fields: "record::id(id) AS key, name, root, seen_at", where: "true",
		ofProject: " AND record::id(id) IN $projects", decode: decodeProjectPage,
	},
	memory.SectionSession: {
		table: "session", fields: sessionFields + digestField, where: "true",
		ofProject: " AND project IN $projects", decode: decodeSessionPage,
	},
	memory.SectionPrompt: {
		table: "prompt", fields: "record::id(id) AS id, record::id(session) AS session, project, text, at", where: "true",
		ofProject: " AND project IN $projects", decode: decodePromptPage,
	},
	memory.SectionMemory: {
		table: "memory", fields: memoryFields, where: "status != 'forgotten'",
		ofProject: " AND project IN $projects", decode: decodeMemoryPage,
	},
	memory.SectionSighting: {
		table: "seen_in", fields: "record::id(id) AS id, record::id(in) AS memory, record::id(out) AS session, at",
		where: "in.status != 'forgotten'", ofProject: " AND in.project IN $projects", decode: decodeSightingPage,
	},
}

// Export implements storetest.Store.
func (s *Store) Export(ctx context.Context, q memory.ExportQuery) (memory.ExportPage, error) {
	section, known := exported[q.Section]
	if !known {
		return memory.ExportPage{}, fmt.Errorf("export %q: there is no such section: %w", q.Section, memory.ErrInvalid)
	}
	if q.Limit <= 0 {
		q.Limit = memory.ExportLimit
	}
	projects, err := s.keysOf(ctx, q.Project)
	if err != nil {
		return memory.ExportPage{}, fmt.Errorf("export the %ss: %w", q.Section, err)
	}
	where := section.where
	if q.Project != "" {
		where += section.ofProject
	}
	// The condition stands beside the page and not in it: with one the engine reads
	// all that is left of the table for each page.
	sql := "LET $page = (SELECT * FROM type::record('" + section.table + "', $after>..) LIMIT $limit);" +
		"SELECT " + section.fields + " FROM $page WHERE " + where + ";" +
		"RETURN { last: IF array::is_empty($page) { '' } ELSE { record::id(array::last($page).id) }, rows: array::len($page) };"
	result, err := s.conn.ExecIdempotent(ctx, sql, map[string]any{"after": q.After, "projects": projects, "limit": q.Limit})
	if err != nil {
		return memory.ExportPage{}, fmt.Errorf("export the %ss: %w", q.Section, domain(err))
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

func decodeProjectPage(result wire.Results, page *memory.ExportPage) (err error) {
	page.Projects, err = decodeEach(result, 0, projectRecord.project)
	return err
}

func decodeSessionPage(result wire.Results, page *memory.ExportPage) (err error) {
	page.Sessions, err = decodeSessions(result, 0)
	return err
}

func decodePromptPage(result wire.Results, page *memory.ExportPage) (err error) {
	page.Prompts, err = decodeEach(result, 0, promptRecord.prompt)
	return err
}

func decodeMemoryPage(result wire.Results, page *memory.ExportPage) (err error) {
	page.Memories, err = memoryCodec.decode(result, 0)
	return err
}

func decodeSightingPage(result wire.Results, page *memory.ExportPage) (err error) {
	page.Sightings, err = decodeEach(result, 0, sightingRecord.sighting)
	return err
}
