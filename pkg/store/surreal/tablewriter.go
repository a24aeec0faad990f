package surreal

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// tableWriter has the statements that write the rows of a table.
type tableWriter struct {
	*memory.RowType
	shape
	statements []statement
}

// statement applies one kind of change of a table to the values in its variable.
type statement struct{ variable, sql string }

// tableWriters lists the tables in the order in which a write changes them.
var tableWriters = memory.Each(memory.RowTypes(), newTableWriter)

// The kinds of changes of a table.
const (
	same    = "_same"    // rows that must be unchanged
	gone    = "_gone"    // deleted rows
	changed = "_changed" // changed rows
	added   = "_added"   // new rows
)

// newTableWriter builds the statements of a table. Changes come before new rows: otherwise each change would search its
// row among the transaction's own writes, which gets slower with their number.
func newTableWriter(t *memory.RowType) *tableWriter {
	w := &tableWriter{RowType: t, shape: shape{t.Table, t.Columns}}
	add := func(kind, sql string) {
		rows := t.Table + kind
		sql = strings.NewReplacer("$rows", "$"+rows, "TABLE", t.Table, "CONFLICT", "{ THROW '"+rowChanged+"' }").Replace(sql)
		w.statements = append(w.statements, statement{rows, "\n" + sql})
	}
	rows, insert, replace := "$rows", "INSERT", "FOR $row IN $rows { UPSERT $row.id CONTENT $row RETURN NONE };"
	if t.Edges { // after CONTENT the engine no longer treats the row as an edge
		// IGNORE does not skip an edge with other ends: newer rules may extract another memory from an event. The first one stays.
		rows, insert, replace = "$rows[WHERE !record::exists(id)]", "INSERT RELATION",
			"INSERT RELATION IGNORE INTO TABLE $rows RETURN NONE;\nFOR $row IN $rows { UPDATE $row.id MERGE $row RETURN NONE };"
	}
	if len(t.Compared) == 0 {
		add(gone, "DELETE $rows.id RETURN NONE;")
		add(changed, replace)
	} else {
		w.compared(add)
	}
	switch {
	case t.OnConflict == memory.ConflictReplaces:
		add(added, replace)
	case t.OnConflict == memory.ConflictIgnored:
		add(added, insert+" IGNORE INTO TABLE "+rows+" RETURN NONE;")
	case t.Edges:
		add(added, "IF !array::is_empty(SELECT VALUE id FROM $rows.id WHERE id != NONE) CONFLICT;\n"+insert+
			" INTO TABLE $rows RETURN NONE;")
	default:
		add(added, insert+" INTO TABLE $rows RETURN NONE;")
	}
	return w
}

// compared adds statements that fail if their row has changed since it was read.
func (w *tableWriter) compared(add func(kind, sql string)) {
	are := memory.Each(w.Compared, func(column string) string { return column + " = $row.was." + column })
	where, set, more := " WHERE "+strings.Join(are, " AND "), "$row.set", ""
	if w.Table == "memory" {
		set = "object::extend($row.set, { changed_at: time::nano() })"
	}
	for _, column := range w.columns {
		if column.Option == "object" { // MERGE would keep the fields of the old object
			more += strings.ReplaceAll("\n\tIF $row.set.COL != NONE { UPDATE $row.id SET COL = $row.set.COL RETURN NONE };", "COL", column.Name)
		}
	}
	const each = "FOR $row IN $rows {\n\tIF array::is_empty(("
	add(same, each+"SELECT VALUE id FROM $row.id"+where+")) CONFLICT;\n};")
	add(gone, each+"DELETE $row.id"+where+" RETURN BEFORE)) CONFLICT;\n};")
	add(changed, each+"UPDATE $row.id MERGE "+set+where+" RETURN VALUE true)) CONFLICT;"+more+"\n};")
}

// value returns the value that stands for a change of a row in a write's statement, and the statement's variable.
func (w *tableWriter) value(c memory.RowChange) (variable string, value map[string]any) {
	switch {
	case c.Before == nil:
		return w.Table + added, w.row(c.After)
	case len(w.Compared) == 0 && c.After != nil:
		return w.Table + changed, w.row(c.After)
	}
	value = map[string]any{"id": recordID(w.Table, w.ID(c.Before))}
	if len(w.Compared) > 0 {
		value["was"] = w.was(c.Before)
	}
	if c.After == nil {
		return w.Table + gone, value
	}
	set := w.differences(c.Before, c.After)
	if len(set) == 0 {
		return w.Table + same, value
	}
	value["set"] = set
	return w.Table + changed, value
}

// was returns the compared columns of a row.
func (w *tableWriter) was(row any) map[string]any {
	was, v := map[string]any{}, reflect.ValueOf(row)
	for _, column := range w.columns {
		field := v.FieldByIndex(column.Field)
		if slices.Contains(w.Compared, column.Name) && (column.Option != "optional" || !field.IsZero()) {
			was[column.Name] = stored(field)
		}
	}
	return was
}

// owner returns the table of the project, session or memory that a row belongs to, and the SQL expression for its
// project. Both are empty for an edge and for a row without an owner.
func (w *tableWriter) owner() (table, project string) {
	for _, of := range []string{"project", "session", "memory"} {
		for _, c := range w.columns {
			switch {
			case w.Edges || c.Of != of && (of != "project" || c.Name != of):
			case c.Name == "id" && of == "project":
				return of, "record::id(id)"
			case c.Name == "id":
				return of, "type::record('" + of + "', record::id(id)).project"
			case of == "project":
				return of, c.Name
			default:
				return of, c.Name + ".project"
			}
		}
	}
	return "", ""
}

// row returns a row with its ID in the form in which it is stored, without a memory's columns that have their defaults.
func (w *tableWriter) row(value any) map[string]any {
	var row map[string]any
	switch value := value.(type) {
	case memory.Row:
		row = memoryCodec.row(value.Memory)
		for name, column := range w.differences(memory.Row{Memory: value.Memory}, value) {
			row[name] = column
		}
	case memory.Spend:
		row = w.shape.row(value)
		row["day"] = value.At.UTC().Format(time.DateOnly)
	default:
		row = w.shape.row(value)
	}
	row["id"] = recordID(w.Table, w.ID(value))
	return row
}

func writerOf(row any) *tableWriter {
	t, isKnown := memory.RowTypeOf(row)
	for _, w := range tableWriters {
		if isKnown && w.RowType == t {
			return w
		}
	}
	panic(fmt.Sprintf("a row of the type %T has no table", row))
}
