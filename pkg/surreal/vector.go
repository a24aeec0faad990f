package surreal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

// Vectors is the memory.VectorStore of one model. Its table is not part of the schema: it
// exists only where embeddings are enabled, each model has its own because an index has one
// dimension, and it can be deleted without a loss.
type Vectors struct {
	conn  *wire.Conn
	model string
	table string
}

// NewVectors returns a store for the vectors of a model, which have the given dimension.
// The agent compares them; an index of them in the store was slower (docs/adr/0007).
func NewVectors(conn *wire.Conn, model string, dimension int) *Vectors {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", model, dimension))
	return &Vectors{conn: conn, model: model, table: "embedding_" + hex.EncodeToString(sum[:6])}
}

// sql inserts the table's name into a statement.
func (v *Vectors) sql(text string) string { return strings.ReplaceAll(text, "TABLE_NAME", v.table) }

// The events delete and move a vector together with its memory.
const prepareVectorsSQL = `
DEFINE TABLE IF NOT EXISTS TABLE_NAME TYPE NORMAL SCHEMAFULL PERMISSIONS NONE;
DEFINE FIELD IF NOT EXISTS memory ON TABLE_NAME TYPE record<memory>;
DEFINE FIELD IF NOT EXISTS project ON TABLE_NAME TYPE string;
DEFINE FIELD IF NOT EXISTS model ON TABLE_NAME TYPE string;
DEFINE FIELD IF NOT EXISTS vector ON TABLE_NAME TYPE array<float>;
DEFINE INDEX IF NOT EXISTS TABLE_NAME_project ON TABLE_NAME FIELDS project;
DEFINE EVENT IF NOT EXISTS TABLE_NAME_gone ON memory WHEN $event = 'DELETE' OR $event = 'UPDATE' AND $after.status = 'forgotten'
	THEN (DELETE type::record('TABLE_NAME', record::id($value.id)) RETURN NONE);
DEFINE EVENT IF NOT EXISTS TABLE_NAME_moved ON memory WHEN $event = 'UPDATE' AND $before.project != $after.project
	THEN (UPDATE type::record('TABLE_NAME', record::id($value.id)) SET project = $after.project RETURN NONE);
REMOVE INDEX IF EXISTS TABLE_NAME_near ON TABLE_NAME; -- of versions that could compare in the store`

// Prepare implements memory.VectorStore.
func (v *Vectors) Prepare(ctx context.Context) error {
	if _, err := v.conn.ExecIdempotent(ctx, v.sql(prepareVectorsSQL), nil); err != nil {
		return fmt.Errorf("make the table of the vectors of %s: %w", v.model, domain(err))
	}
	return nil
}

const putVectorsSQL = `
INSERT IGNORE INTO TABLE_NAME $rows.filter(|$row| record::exists($row.memory)).map(|$row| {
	id: $row.id, memory: $row.memory, project: $row.memory.project, model: $row.model, vector: $row.vector
}) RETURN NONE;`

// PutVectors implements memory.VectorStore.
func (v *Vectors) PutVectors(ctx context.Context, vectors []memory.Vector) error {
	if len(vectors) == 0 {
		return nil
	}
	rows := make([]map[string]any, 0, len(vectors))
	for _, one := range vectors {
		rows = append(rows, map[string]any{
			"id": recordID(v.table, one.Memory), "memory": recordID("memory", one.Memory), "model": v.model, "vector": one.Values,
		})
	}
	if _, err := v.conn.ExecIdempotent(ctx, v.sql(putVectorsSQL), map[string]any{"rows": rows}); err != nil {
		return fmt.Errorf("keep %d vectors: %w", len(vectors), domain(err))
	}
	return nil
}

// Vectors implements memory.VectorStore.
func (v *Vectors) Vectors(ctx context.Context, project string) ([]memory.Vector, error) {
	result, err := v.conn.ExecIdempotent(ctx,
		v.sql(`SELECT record::id(id) AS id, vector FROM TABLE_NAME WHERE project IN [$project, '']`),
		map[string]any{"project": project})
	if err != nil {
		return nil, fmt.Errorf("read the vectors of %q: %w", project, domain(err))
	}
	var rows []struct {
		ID     string    `json:"id"`
		Vector []float32 `json:"vector"`
	}
	if err := result.Decode(0, &rows); err != nil {
		return nil, fmt.Errorf("read the vectors of %q: %w", project, err)
	}
	vectors := make([]memory.Vector, 0, len(rows))
	for _, r := range rows {
		vectors = append(vectors, memory.Vector{Memory: r.ID, Values: r.Vector})
	}
	return vectors, nil
}
