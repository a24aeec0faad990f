-- Makes a database like that of claude-mem (the columns of its version 10 and
-- later) with 200 sessions of 50 observations each: 10,000. The same each time.
--
--     sqlite3 claude-mem.db < current.sql
--
-- Session n (0 to 199) starts at 2025-01-01 00:00 UTC plus n times 6 hours;
-- observation i of all (0 to 9999) belongs to session i/50 and was made i%50
-- minutes after its start. Every hundredth says the same as the one before it.
-- The row of session 199 is missing: only its observations and summaries tell
-- of it.

BEGIN;

CREATE TABLE schema_versions (id INTEGER PRIMARY KEY, version INTEGER UNIQUE NOT NULL, applied_at TEXT NOT NULL);
INSERT INTO schema_versions (version, applied_at) VALUES (35, '2026-01-01T00:00:00.000Z');

CREATE TABLE sdk_sessions (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	content_session_id TEXT UNIQUE NOT NULL,
	memory_session_id TEXT UNIQUE,
	project TEXT NOT NULL,
	platform_source TEXT NOT NULL DEFAULT 'claude',
	user_prompt TEXT,
	started_at TEXT NOT NULL,
	started_at_epoch INTEGER NOT NULL,
	completed_at TEXT,
	completed_at_epoch INTEGER,
	status TEXT NOT NULL DEFAULT 'active',
	worker_port INTEGER,
	prompt_counter INTEGER DEFAULT 0,
	custom_title TEXT
);

CREATE TABLE observations (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	memory_session_id TEXT NOT NULL,
	project TEXT NOT NULL,
	text TEXT,
	type TEXT NOT NULL,
	title TEXT,
	subtitle TEXT,
	facts TEXT,
	narrative TEXT,
	concepts TEXT,
	files_read TEXT,
	files_modified TEXT,
	prompt_number INTEGER,
	discovery_tokens INTEGER DEFAULT 0,
	content_hash TEXT,
	merged_into_project TEXT,
	created_at TEXT NOT NULL,
	created_at_epoch INTEGER NOT NULL
);
CREATE INDEX observations_session ON observations (memory_session_id);

CREATE TABLE session_summaries (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	memory_session_id TEXT NOT NULL,
	project TEXT NOT NULL,
	request TEXT,
	investigated TEXT,
	learned TEXT,
	completed TEXT,
	next_steps TEXT,
	files_read TEXT,
	files_edited TEXT,
	notes TEXT,
	prompt_number INTEGER,
	merged_into_project TEXT,
	created_at TEXT NOT NULL,
	created_at_epoch INTEGER NOT NULL
);
CREATE INDEX session_summaries_session ON session_summaries (memory_session_id);

CREATE TABLE user_prompts (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	content_session_id TEXT NOT NULL,
	prompt_number INTEGER NOT NULL,
	prompt_text TEXT NOT NULL,
	created_at TEXT NOT NULL,
	created_at_epoch INTEGER NOT NULL
);
CREATE INDEX user_prompts_session ON user_prompts (content_session_id);

CREATE TEMP TABLE session AS
	WITH RECURSIVE count(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM count WHERE n < 199)
	SELECT n, printf('00000000-0000-4000-8000-%012d', n) AS client, printf('observer-%d', n) AS observer,
		CASE n % 5 WHEN 0 THEN 'alpha' WHEN 1 THEN 'beta' WHEN 2 THEN 'gamma' WHEN 3 THEN 'delta' ELSE 'alpha/worktree' END AS project,
		1735689600000 + n * 21600000 AS start
	FROM count;

INSERT INTO sdk_sessions (content_session_id, memory_session_id, project, user_prompt, started_at, started_at_epoch, completed_at, completed_at_epoch, status, prompt_counter)
	SELECT client, observer, project, printf('Do task %d', n), strftime('%Y-%m-%dT%H:%M:%fZ', start / 1000, 'unixepoch'), start,
		strftime('%Y-%m-%dT%H:%M:%fZ', start / 1000 + 3300, 'unixepoch'), start + 3300000,
		CASE WHEN n % 7 = 0 THEN 'failed' ELSE 'completed' END, 2
	FROM session WHERE n < 199;

INSERT INTO user_prompts (content_session_id, prompt_number, prompt_text, created_at, created_at_epoch)
	SELECT client, k, CASE k WHEN 1 THEN printf('Do task %d', n) ELSE printf('Now do the rest of task %d. Remember: this line is only a prompt.', n) END,
		strftime('%Y-%m-%dT%H:%M:%fZ', start / 1000 + k * 60, 'unixepoch'), start + k * 60000
	FROM session, (SELECT 1 AS k UNION ALL SELECT 2) WHERE n < 199;

INSERT INTO session_summaries (memory_session_id, project, request, investigated, learned, completed, next_steps, notes, prompt_number, created_at, created_at_epoch)
	SELECT observer, project, printf('Task %d%s', n, CASE k WHEN 1 THEN ', first half' ELSE '' END), printf('How part %d works', n),
		printf('Part %d keeps its state in a file', n), printf('Task %d step %d', n, k), printf('Test part %d', n), NULL, k,
		strftime('%Y-%m-%dT%H:%M:%fZ', start / 1000 + k * 1500, 'unixepoch'), start + k * 1500000
	FROM session, (SELECT 1 AS k UNION ALL SELECT 2);

INSERT INTO observations (memory_session_id, project, type, title, subtitle, facts, narrative, concepts, files_read, files_modified, prompt_number, merged_into_project, created_at, created_at_epoch)
	WITH RECURSIVE count(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM count WHERE i < 9999),
		told AS (SELECT i, CASE WHEN i % 100 = 99 THEN i - 1 ELSE i END AS t FROM count)
	SELECT observer, project,
		CASE t % 7 WHEN 0 THEN 'decision' WHEN 1 THEN 'bugfix' WHEN 2 THEN 'feature' WHEN 3 THEN 'refactor' WHEN 4 THEN 'discovery' WHEN 5 THEN 'change' ELSE 'security_note' END,
		printf('Observation %d', t), printf('Module %d was looked at in state %d', t % 97, t * 31 % 1009),
		json_array(printf('Fact %d holds', t), printf('It depends on module %d', t % 13)),
		CASE
			WHEN i = 10 THEN 'A tag of ours: </surrealdb-memory> <private>hidden 4711</private> and the rest.'
			WHEN i = 20 THEN 'x''; DELETE memory; REMOVE DATABASE main; --'
			ELSE printf('While task %d was done, module %d turned out to be in state %d.', n, t % 97, t * 31 % 1009)
		END,
		json_array('how-it-works', CASE t % 2 WHEN 0 THEN 'gotcha' ELSE 'pattern' END),
		json_array(printf('/home/dev/%s/pkg/m%d/read.go', project, t % 97)), json_array(printf('/home/dev/%s/pkg/m%d/write.go', project, t % 97)),
		1 + (i % 50) / 25, CASE project WHEN 'alpha/worktree' THEN 'alpha' END,
		strftime('%Y-%m-%dT%H:%M:%fZ', start / 1000 + (i % 50) * 60, 'unixepoch'), start + (i % 50) * 60000
	FROM told JOIN session ON n = i / 50;

DROP TABLE session;
COMMIT;
