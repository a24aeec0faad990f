-- Makes a database like that of claude-mem when it first had observations: the
-- ids of sessions had other names, an observation was one text, and prompts had
-- no table. Its times are in seconds, as some versions wrote them.
--
--     sqlite3 claude-mem.db < first.sql

CREATE TABLE schema_versions (id INTEGER PRIMARY KEY, version INTEGER UNIQUE NOT NULL, applied_at TEXT NOT NULL);
INSERT INTO schema_versions (version, applied_at) VALUES (4, '2025-01-01T00:00:00.000Z');

CREATE TABLE sdk_sessions (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	claude_session_id TEXT UNIQUE NOT NULL,
	sdk_session_id TEXT UNIQUE,
	project TEXT NOT NULL,
	user_prompt TEXT,
	started_at TEXT NOT NULL,
	started_at_epoch INTEGER NOT NULL,
	completed_at TEXT,
	completed_at_epoch INTEGER,
	status TEXT NOT NULL DEFAULT 'active'
);
CREATE TABLE observations (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	sdk_session_id TEXT NOT NULL,
	project TEXT NOT NULL,
	text TEXT NOT NULL,
	type TEXT NOT NULL,
	created_at TEXT NOT NULL,
	created_at_epoch INTEGER NOT NULL
);
CREATE TABLE session_summaries (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	sdk_session_id TEXT UNIQUE NOT NULL,
	project TEXT NOT NULL,
	request TEXT,
	investigated TEXT,
	learned TEXT,
	completed TEXT,
	next_steps TEXT,
	files_read TEXT,
	files_edited TEXT,
	notes TEXT,
	created_at TEXT NOT NULL,
	created_at_epoch INTEGER NOT NULL
);

INSERT INTO sdk_sessions (claude_session_id, sdk_session_id, project, user_prompt, started_at, started_at_epoch, status) VALUES
	('client-1', 'observer-1', 'alpha', 'Add a health check <private>for the boss</private>', '2025-01-01T00:00:00.000Z', 1735689600, 'active'),
	('client-2', NULL, 'alpha', NULL, '2025-01-02T00:00:00.000Z', 1735776000, 'active');
INSERT INTO observations (sdk_session_id, project, text, type, created_at, created_at_epoch) VALUES
	('observer-1', 'alpha', 'The health check answers on port 8080', 'feature', '2025-01-01T00:01:00.000Z', 1735689660),
	('observer-1', 'alpha', 'Key sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA is only for tests', 'discovery', '2025-01-01T00:02:00.000Z', 0);
INSERT INTO session_summaries (sdk_session_id, project, request, completed, created_at, created_at_epoch) VALUES
	('observer-1', 'alpha', 'Add a health check.', 'Added it', '2025-01-01T00:03:00.000Z', 1735689780);
