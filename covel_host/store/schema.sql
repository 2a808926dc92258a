CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL,
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);

CREATE TABLE sessions (
	session_id TEXT NOT NULL,
	incarnation TEXT NOT NULL,
	world_id TEXT,
	status TEXT NOT NULL,
	phase TEXT NOT NULL,
	completed_player_turns INTEGER NOT NULL,
	revision INTEGER NOT NULL,
	locale TEXT NOT NULL,
	active_packages TEXT NOT NULL,
	metadata TEXT NOT NULL,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	PRIMARY KEY (session_id)
)
 WITHOUT ROWID;

CREATE INDEX sessions_by_update ON sessions (updated_at, session_id);

CREATE TABLE session_revisions (
	session_id TEXT NOT NULL,
	revision INTEGER NOT NULL,
	turn_id TEXT,
	committed_at TEXT NOT NULL,
	state TEXT NOT NULL,
	PRIMARY KEY (session_id, revision),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE turns (
	session_id TEXT NOT NULL,
	turn_id TEXT NOT NULL,
	sequence INTEGER NOT NULL,
	parent_turn_id TEXT,
	origin TEXT NOT NULL,
	logical_turn_id TEXT NOT NULL,
	logical_turn INTEGER NOT NULL,
	commit_status TEXT NOT NULL,
	revision INTEGER,
	results TEXT NOT NULL,
	failure TEXT,
	started_at TEXT NOT NULL,
	finished_at TEXT,
	duration_ms INTEGER,
	PRIMARY KEY (session_id, turn_id),
	CONSTRAINT turns_by_sequence UNIQUE (session_id, sequence),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE logical_turns (
	session_id TEXT NOT NULL,
	logical_turn_id TEXT NOT NULL,
	turn_id TEXT NOT NULL,
	revision INTEGER NOT NULL,
	PRIMARY KEY (session_id, logical_turn_id),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE messages (
	session_id TEXT NOT NULL,
	sequence INTEGER NOT NULL,
	message_id TEXT NOT NULL,
	turn_id TEXT NOT NULL,
	revision INTEGER NOT NULL,
	source TEXT NOT NULL,
	role TEXT NOT NULL,
	kind TEXT,
	content TEXT NOT NULL,
	plugin_id TEXT,
	runtime_id TEXT,
	data TEXT NOT NULL,
	created_at TEXT NOT NULL,
	PRIMARY KEY (session_id, sequence),
	CONSTRAINT messages_by_id UNIQUE (message_id),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE INDEX messages_by_turn ON messages (session_id, turn_id);

CREATE TABLE tool_calls (
	session_id TEXT NOT NULL,
	turn_id TEXT NOT NULL,
	position INTEGER NOT NULL,
	call_id TEXT NOT NULL,
	run_id TEXT,
	plugin_id TEXT NOT NULL,
	runtime_id TEXT NOT NULL,
	tool_name TEXT NOT NULL,
	status TEXT NOT NULL,
	arguments TEXT NOT NULL,
	result TEXT,
	error TEXT,
	approval TEXT,
	started_at TEXT NOT NULL,
	duration_ms INTEGER NOT NULL,
	PRIMARY KEY (session_id, turn_id, position),
	FOREIGN KEY(session_id, turn_id) REFERENCES turns (session_id, turn_id) ON DELETE CASCADE,
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE trace_events (
	session_id TEXT NOT NULL,
	turn_id TEXT NOT NULL,
	position INTEGER NOT NULL,
	type TEXT NOT NULL,
	at TEXT NOT NULL,
	run_id TEXT,
	parent_id TEXT,
	data TEXT NOT NULL,
	PRIMARY KEY (session_id, turn_id, position),
	FOREIGN KEY(session_id, turn_id) REFERENCES turns (session_id, turn_id) ON DELETE CASCADE,
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE plugin_data (
	session_id TEXT NOT NULL,
	plugin_id TEXT NOT NULL,
	namespace TEXT NOT NULL,
	"key" TEXT NOT NULL,
	version INTEGER NOT NULL,
	value TEXT NOT NULL,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	PRIMARY KEY (session_id, plugin_id, namespace, "key"),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE plugin_data_old (
	session_id TEXT NOT NULL,
	valid_to INTEGER NOT NULL,
	plugin_id TEXT NOT NULL,
	namespace TEXT NOT NULL,
	"key" TEXT NOT NULL,
	version INTEGER NOT NULL,
	value TEXT NOT NULL,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	PRIMARY KEY (session_id, valid_to, plugin_id, namespace, "key"),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE characters (
	session_id TEXT NOT NULL,
	character_id TEXT NOT NULL,
	revision INTEGER NOT NULL,
	record TEXT NOT NULL,
	PRIMARY KEY (session_id, character_id),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE characters_old (
	session_id TEXT NOT NULL,
	valid_to INTEGER NOT NULL,
	character_id TEXT NOT NULL,
	revision INTEGER NOT NULL,
	record TEXT NOT NULL,
	PRIMARY KEY (session_id, valid_to, character_id),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE character_schemas (
	session_id TEXT NOT NULL,
	revision INTEGER NOT NULL,
	record TEXT NOT NULL,
	PRIMARY KEY (session_id),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE character_schemas_old (
	session_id TEXT NOT NULL,
	valid_to INTEGER NOT NULL,
	revision INTEGER NOT NULL,
	record TEXT NOT NULL,
	PRIMARY KEY (session_id, valid_to),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE dimensions (
	session_id TEXT NOT NULL,
	dimension_id TEXT NOT NULL,
	revision INTEGER NOT NULL,
	plugin_id TEXT NOT NULL,
	version INTEGER NOT NULL,
	definition TEXT NOT NULL,
	value TEXT NOT NULL,
	last_source TEXT,
	PRIMARY KEY (session_id, dimension_id),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE dimensions_old (
	session_id TEXT NOT NULL,
	valid_to INTEGER NOT NULL,
	dimension_id TEXT NOT NULL,
	revision INTEGER NOT NULL,
	plugin_id TEXT NOT NULL,
	version INTEGER NOT NULL,
	definition TEXT NOT NULL,
	value TEXT NOT NULL,
	last_source TEXT,
	PRIMARY KEY (session_id, valid_to, dimension_id),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE dimension_settlements (
	session_id TEXT NOT NULL,
	result_id TEXT NOT NULL,
	revision INTEGER NOT NULL,
	plugin_id TEXT NOT NULL,
	turn_number INTEGER NOT NULL,
	source_turn_id TEXT NOT NULL,
	version INTEGER NOT NULL,
	status TEXT NOT NULL,
	frozen TEXT,
	PRIMARY KEY (session_id, result_id),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE dimension_settlements_old (
	session_id TEXT NOT NULL,
	valid_to INTEGER NOT NULL,
	result_id TEXT NOT NULL,
	revision INTEGER NOT NULL,
	plugin_id TEXT NOT NULL,
	turn_number INTEGER NOT NULL,
	source_turn_id TEXT NOT NULL,
	version INTEGER NOT NULL,
	status TEXT NOT NULL,
	frozen TEXT,
	PRIMARY KEY (session_id, valid_to, result_id),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE lorebook_entries (
	session_id TEXT NOT NULL,
	owner_kind TEXT NOT NULL,
	owner_plugin_id TEXT NOT NULL,
	entry_id TEXT NOT NULL,
	revision INTEGER NOT NULL,
	entry TEXT NOT NULL,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	PRIMARY KEY (session_id, owner_kind, owner_plugin_id, entry_id),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE lorebook_entries_old (
	session_id TEXT NOT NULL,
	valid_to INTEGER NOT NULL,
	owner_kind TEXT NOT NULL,
	owner_plugin_id TEXT NOT NULL,
	entry_id TEXT NOT NULL,
	revision INTEGER NOT NULL,
	entry TEXT NOT NULL,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	PRIMARY KEY (session_id, valid_to, owner_kind, owner_plugin_id, entry_id),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE interactions (
	session_id TEXT NOT NULL,
	sequence INTEGER NOT NULL,
	revision INTEGER NOT NULL,
	turn_id TEXT NOT NULL,
	plugin_id TEXT NOT NULL,
	runtime_id TEXT NOT NULL,
	proposal_id TEXT NOT NULL,
	interaction_id TEXT NOT NULL,
	interaction TEXT NOT NULL,
	created_at TEXT NOT NULL,
	PRIMARY KEY (session_id, sequence),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE INDEX interactions_by_turn ON interactions (session_id, turn_id);

CREATE TABLE ui_blocks (
	session_id TEXT NOT NULL,
	sequence INTEGER NOT NULL,
	revision INTEGER NOT NULL,
	turn_id TEXT NOT NULL,
	plugin_id TEXT NOT NULL,
	runtime_id TEXT NOT NULL,
	proposal_id TEXT NOT NULL,
	block_id TEXT NOT NULL,
	after_message INTEGER NOT NULL,
	render TEXT NOT NULL,
	created_at TEXT NOT NULL,
	PRIMARY KEY (session_id, sequence),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE INDEX ui_blocks_by_turn ON ui_blocks (session_id, turn_id);

CREATE TABLE events (
	session_id TEXT NOT NULL,
	sequence INTEGER NOT NULL,
	revision INTEGER NOT NULL,
	turn_id TEXT NOT NULL,
	plugin_id TEXT NOT NULL,
	runtime_id TEXT NOT NULL,
	proposal_id TEXT NOT NULL,
	topic TEXT NOT NULL,
	data TEXT NOT NULL,
	created_at TEXT NOT NULL,
	PRIMARY KEY (session_id, sequence),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE INDEX events_by_turn ON events (session_id, turn_id);

CREATE TABLE generated_assets (
	session_id TEXT NOT NULL,
	sequence INTEGER NOT NULL,
	revision INTEGER NOT NULL,
	turn_id TEXT NOT NULL,
	plugin_id TEXT NOT NULL,
	runtime_id TEXT NOT NULL,
	proposal_id TEXT NOT NULL,
	media_id TEXT NOT NULL,
	modality TEXT NOT NULL,
	meta TEXT,
	created_at TEXT NOT NULL,
	PRIMARY KEY (session_id, sequence),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE INDEX generated_assets_by_turn ON generated_assets (session_id, turn_id);

CREATE TABLE media_assets (
	media_id TEXT NOT NULL,
	mime TEXT NOT NULL,
	size_bytes INTEGER NOT NULL,
	meta TEXT NOT NULL,
	owner_session_id TEXT,
	owner_plugin_id TEXT,
	created_at TEXT NOT NULL,
	PRIMARY KEY (media_id),
	FOREIGN KEY(owner_session_id) REFERENCES sessions (session_id) ON DELETE SET NULL
)
 WITHOUT ROWID;

CREATE INDEX media_assets_by_owner ON media_assets (owner_session_id);

CREATE TABLE media_refs (
	session_id TEXT NOT NULL,
	media_id TEXT NOT NULL,
	plugin_id TEXT,
	created_at TEXT NOT NULL,
	PRIMARY KEY (session_id, media_id),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE,
	FOREIGN KEY(media_id) REFERENCES media_assets (media_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE INDEX media_refs_by_asset ON media_refs (media_id);

CREATE TABLE snapshots (
	session_id TEXT NOT NULL,
	revision INTEGER NOT NULL,
	snapshot_id TEXT NOT NULL,
	kind TEXT NOT NULL,
	completed_player_turns INTEGER NOT NULL,
	parent_id TEXT,
	created_at TEXT NOT NULL,
	PRIMARY KEY (session_id, revision, snapshot_id),
	CONSTRAINT snapshots_by_id UNIQUE (snapshot_id),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE runtime_exports (
	session_id TEXT NOT NULL,
	producer_id TEXT NOT NULL,
	name TEXT NOT NULL,
	revision INTEGER NOT NULL,
	number INTEGER NOT NULL,
	turn_id TEXT NOT NULL,
	run_id TEXT NOT NULL,
	value TEXT NOT NULL,
	created_at TEXT NOT NULL,
	PRIMARY KEY (session_id, producer_id, name),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE runtime_exports_old (
	session_id TEXT NOT NULL,
	valid_to INTEGER NOT NULL,
	producer_id TEXT NOT NULL,
	name TEXT NOT NULL,
	revision INTEGER NOT NULL,
	number INTEGER NOT NULL,
	turn_id TEXT NOT NULL,
	run_id TEXT NOT NULL,
	value TEXT NOT NULL,
	created_at TEXT NOT NULL,
	PRIMARY KEY (session_id, valid_to, producer_id, name),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE posted_messages (
	message_id TEXT NOT NULL,
	session_id TEXT NOT NULL,
	content TEXT NOT NULL,
	created_at TEXT NOT NULL,
	PRIMARY KEY (message_id),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE INDEX posted_messages_by_session ON posted_messages (session_id);

CREATE TABLE player_inputs (
	session_id TEXT NOT NULL,
	sequence INTEGER NOT NULL,
	revision INTEGER NOT NULL,
	turn_id TEXT NOT NULL,
	plugin_id TEXT NOT NULL,
	runtime_id TEXT NOT NULL,
	proposal_id TEXT NOT NULL,
	input_id TEXT NOT NULL,
	interaction_id TEXT NOT NULL,
	input_values TEXT NOT NULL,
	narrative TEXT NOT NULL,
	created_at TEXT NOT NULL,
	PRIMARY KEY (session_id, sequence),
	CONSTRAINT player_inputs_once UNIQUE (session_id, turn_id, interaction_id),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE INDEX player_inputs_by_turn ON player_inputs (session_id, turn_id);

CREATE TABLE outside_inputs (
	session_id TEXT NOT NULL,
	sequence INTEGER NOT NULL,
	input_id TEXT NOT NULL,
	type TEXT NOT NULL,
	source TEXT NOT NULL,
	channel TEXT NOT NULL,
	plugin_id TEXT,
	target TEXT NOT NULL,
	payload TEXT NOT NULL,
	metadata TEXT NOT NULL,
	outcome TEXT NOT NULL,
	result TEXT,
	error TEXT,
	started_at TEXT NOT NULL,
	duration_ms INTEGER,
	PRIMARY KEY (session_id, sequence),
	CONSTRAINT outside_inputs_by_id UNIQUE (session_id, input_id),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE removed_rows (
	session_id TEXT NOT NULL,
	table_name TEXT NOT NULL,
	row_key TEXT NOT NULL,
	revision INTEGER NOT NULL,
	PRIMARY KEY (session_id, table_name, row_key),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE INDEX removed_rows_by_revision ON removed_rows (session_id, revision);

CREATE INDEX characters_by_revision ON characters (session_id, revision);

CREATE INDEX lorebook_entries_by_revision ON lorebook_entries (session_id, revision);

CREATE INDEX plugin_data_by_version ON plugin_data (session_id, plugin_id, namespace, version);

CREATE TABLE seats (
	session_id TEXT NOT NULL,
	seat_id TEXT NOT NULL,
	revision INTEGER NOT NULL,
	label TEXT NOT NULL,
	character_id TEXT,
	PRIMARY KEY (session_id, seat_id),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE seats_old (
	session_id TEXT NOT NULL,
	valid_to INTEGER NOT NULL,
	seat_id TEXT NOT NULL,
	revision INTEGER NOT NULL,
	label TEXT NOT NULL,
	character_id TEXT,
	PRIMARY KEY (session_id, valid_to, seat_id),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE session_worlds (
	session_id TEXT NOT NULL,
	record TEXT NOT NULL,
	PRIMARY KEY (session_id),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE world_import_ledger (
	session_id TEXT NOT NULL,
	target TEXT NOT NULL,
	plugin_id TEXT NOT NULL,
	namespace TEXT NOT NULL,
	"key" TEXT NOT NULL,
	source_world_id TEXT NOT NULL,
	source_id TEXT NOT NULL,
	source_digest TEXT NOT NULL,
	value_hash TEXT NOT NULL,
	schema_ref TEXT,
	managed INTEGER NOT NULL,
	PRIMARY KEY (session_id, target, plugin_id, namespace, "key"),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE history_summaries (
	session_id TEXT NOT NULL,
	summary_id TEXT NOT NULL,
	revision INTEGER NOT NULL,
	record TEXT NOT NULL,
	PRIMARY KEY (session_id, summary_id),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE INDEX history_summaries_by_revision ON history_summaries (session_id, revision);

CREATE TABLE history_summaries_old (
	session_id TEXT NOT NULL,
	valid_to INTEGER NOT NULL,
	summary_id TEXT NOT NULL,
	revision INTEGER NOT NULL,
	record TEXT NOT NULL,
	PRIMARY KEY (session_id, valid_to, summary_id),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE memory_vector_models (
	session_id TEXT NOT NULL,
	identity TEXT NOT NULL,
	dimensions INTEGER NOT NULL,
	PRIMARY KEY (session_id),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE memory_vectors (
	session_id TEXT NOT NULL,
	digest BLOB NOT NULL,
	sketch BLOB NOT NULL,
	vector BLOB NOT NULL,
	PRIMARY KEY (session_id, digest),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE prompt_parts (
	session_id TEXT NOT NULL,
	part_id TEXT NOT NULL,
	content TEXT NOT NULL,
	PRIMARY KEY (session_id, part_id),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE INDEX messages_of_players ON messages (session_id, source, revision) WHERE source = 'player';

CREATE TABLE suspensions (
	session_id TEXT NOT NULL,
	suspension_id TEXT NOT NULL,
	revision INTEGER NOT NULL,
	state TEXT NOT NULL,
	plugin_id TEXT NOT NULL,
	runtime_id TEXT NOT NULL,
	turn_id TEXT NOT NULL,
	created_at TEXT NOT NULL,
	facts TEXT NOT NULL,
	scene TEXT,
	PRIMARY KEY (session_id, suspension_id),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE INDEX suspensions_by_creation ON suspensions (state, created_at);

CREATE TABLE suspensions_old (
	session_id TEXT NOT NULL,
	valid_to INTEGER NOT NULL,
	suspension_id TEXT NOT NULL,
	revision INTEGER NOT NULL,
	state TEXT NOT NULL,
	plugin_id TEXT NOT NULL,
	runtime_id TEXT NOT NULL,
	turn_id TEXT NOT NULL,
	created_at TEXT NOT NULL,
	facts TEXT NOT NULL,
	scene TEXT,
	PRIMARY KEY (session_id, valid_to, suspension_id),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE jobs (
	session_id TEXT NOT NULL,
	sequence INTEGER NOT NULL,
	job_id TEXT NOT NULL,
	plugin_id TEXT NOT NULL,
	runtime_id TEXT NOT NULL,
	activation TEXT NOT NULL,
	state TEXT NOT NULL,
	source_turn_id TEXT NOT NULL,
	created_at TEXT NOT NULL,
	queue_until TEXT,
	claimed_at TEXT,
	finished_at TEXT,
	lease_owner TEXT,
	lease_until TEXT,
	turn_id TEXT,
	facts TEXT NOT NULL,
	input TEXT NOT NULL,
	failure TEXT,
	PRIMARY KEY (session_id, sequence),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE UNIQUE INDEX jobs_by_id ON jobs (session_id, job_id);

CREATE INDEX jobs_open ON jobs (session_id, sequence) WHERE finished_at IS NULL;

CREATE TABLE recordings (
	session_id TEXT NOT NULL,
	turn_id TEXT NOT NULL,
	revision INTEGER NOT NULL,
	snapshot_id TEXT,
	state TEXT NOT NULL,
	created_at TEXT NOT NULL,
	size_bytes INTEGER NOT NULL,
	content TEXT,
	PRIMARY KEY (session_id, turn_id),
	FOREIGN KEY(session_id) REFERENCES sessions (session_id) ON DELETE CASCADE
)
 WITHOUT ROWID;

