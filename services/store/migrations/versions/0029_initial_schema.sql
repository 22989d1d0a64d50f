-- The schema that the first migration makes, in the words of PostgreSQL; what SQLite says otherwise is in the
-- migration. It never changes: later changes are migrations of their own.

CREATE TABLE courses (
    id TEXT COLLATE "C" NOT NULL,
    name TEXT NOT NULL,
    domains JSON NOT NULL,
    language TEXT NOT NULL,
    alpha FLOAT,
    beta FLOAT,
    refusal TEXT,
    shares_concepts BOOLEAN DEFAULT false NOT NULL,
    takes_concepts BOOLEAN DEFAULT false NOT NULL,
    is_platform_graph BOOLEAN DEFAULT false NOT NULL,
    archived BOOLEAN DEFAULT false NOT NULL,
    CONSTRAINT pk_courses PRIMARY KEY (id)
);

CREATE TABLE lti_invitations (
    digest TEXT COLLATE "C" NOT NULL,
    scopes JSON NOT NULL,
    expires_at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_lti_invitations PRIMARY KEY (digest)
);

CREATE TABLE lti_platforms (
    id TEXT COLLATE "C" NOT NULL,
    issuer TEXT COLLATE "C" NOT NULL,
    client_id TEXT COLLATE "C" NOT NULL,
    login_url TEXT NOT NULL,
    token_url TEXT NOT NULL,
    jwks_url TEXT NOT NULL,
    origins JSON NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_lti_platforms PRIMARY KEY (id),
    CONSTRAINT uq_lti_platforms_issuer_client_id UNIQUE (issuer, client_id)
);

CREATE TABLE model_usage (
    day TEXT NOT NULL,
    course_id TEXT COLLATE "C" NOT NULL,
    model TEXT COLLATE "C" NOT NULL,
    calls INTEGER NOT NULL,
    uncounted INTEGER NOT NULL,
    prompt_tokens BIGINT NOT NULL,
    completion_tokens BIGINT NOT NULL,
    CONSTRAINT pk_model_usage PRIMARY KEY (day, course_id, model)
);

CREATE TABLE oidc_logins (
    state_digest TEXT COLLATE "C" NOT NULL,
    browser_digest TEXT NOT NULL,
    nonce TEXT NOT NULL,
    verifier TEXT NOT NULL,
    back TEXT NOT NULL,
    expires_at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_oidc_logins PRIMARY KEY (state_digest)
);

CREATE TABLE outbox (
    revision INTEGER NOT NULL,
    course_id TEXT COLLATE "C" NOT NULL,
    path TEXT COLLATE "C" NOT NULL,
    put JSON NOT NULL,
    removed JSON NOT NULL,
    concepts BOOLEAN NOT NULL,
    CONSTRAINT pk_outbox PRIMARY KEY (revision, course_id, path)
);

CREATE TABLE people (
    id TEXT COLLATE "C" NOT NULL,
    email TEXT COLLATE "C" NOT NULL,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    password TEXT,
    issuer TEXT COLLATE "C",
    subject TEXT COLLATE "C",
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    last_seen_at TIMESTAMP WITH TIME ZONE,
    disabled BOOLEAN DEFAULT false NOT NULL,
    CONSTRAINT pk_people PRIMARY KEY (id),
    CONSTRAINT uq_people_issuer_subject UNIQUE (issuer, subject),
    CONSTRAINT ck_people_role CHECK (role IN ('member', 'creator', 'admin')),
    CONSTRAINT uq_people_email UNIQUE (email)
);

CREATE TABLE store_secrets (
    name TEXT COLLATE "C" NOT NULL,
    value TEXT NOT NULL,
    CONSTRAINT pk_store_secrets PRIMARY KEY (name)
);

CREATE TABLE store_state (
    id INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    CONSTRAINT pk_store_state PRIMARY KEY (id),
    CONSTRAINT ck_store_state_one_row CHECK (id = 1)
);

CREATE TABLE course_embeddings (
    course_id TEXT COLLATE "C" NOT NULL,
    origins JSON NOT NULL,
    hints BOOLEAN NOT NULL,
    CONSTRAINT pk_course_embeddings PRIMARY KEY (course_id),
    CONSTRAINT fk_course_embeddings_course_id FOREIGN KEY(course_id) REFERENCES courses (id) ON DELETE CASCADE
);

CREATE TABLE course_keys (
    id TEXT COLLATE "C" NOT NULL,
    course_id TEXT COLLATE "C" NOT NULL,
    role TEXT NOT NULL,
    digest TEXT NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    revoked_at TIMESTAMP WITH TIME ZONE,
    CONSTRAINT pk_course_keys PRIMARY KEY (id),
    CONSTRAINT ck_course_keys_role CHECK (role IN ('platform', 'instructor')),
    CONSTRAINT fk_course_keys_course_id FOREIGN KEY(course_id) REFERENCES courses (id) ON DELETE CASCADE
);

CREATE TABLE course_notices (
    course_id TEXT COLLATE "C" NOT NULL,
    recipients JSON NOT NULL,
    pace TEXT NOT NULL,
    hour INTEGER NOT NULL,
    tells_platform BOOLEAN NOT NULL,
    told_until TIMESTAMP WITH TIME ZONE NOT NULL,
    next_at TIMESTAMP WITH TIME ZONE,
    CONSTRAINT pk_course_notices PRIMARY KEY (course_id),
    CONSTRAINT ck_course_notices_pace CHECK (pace IN ('at_once', 'daily')),
    CONSTRAINT fk_course_notices_course_id FOREIGN KEY(course_id) REFERENCES courses (id) ON DELETE CASCADE
);
CREATE INDEX ix_course_notices_next_at ON course_notices (next_at);

CREATE TABLE course_webhooks (
    course_id TEXT COLLATE "C" NOT NULL,
    url TEXT,
    secret TEXT,
    CONSTRAINT pk_course_webhooks PRIMARY KEY (course_id),
    CONSTRAINT fk_course_webhooks_course_id FOREIGN KEY(course_id) REFERENCES courses (id) ON DELETE CASCADE
);

CREATE TABLE documents (
    course_id TEXT COLLATE "C" NOT NULL,
    path TEXT COLLATE "C" NOT NULL,
    sha256 TEXT NOT NULL,
    folder TEXT NOT NULL,
    pairs JSON NOT NULL,
    concepts JSON NOT NULL,
    edges JSON NOT NULL,
    stored_at TIMESTAMP WITH TIME ZONE,
    held JSON DEFAULT '[]' NOT NULL,
    switched_off JSON DEFAULT '[]' NOT NULL,
    problems JSON DEFAULT '[]' NOT NULL,
    CONSTRAINT pk_documents PRIMARY KEY (course_id, path),
    CONSTRAINT fk_documents_course_id FOREIGN KEY(course_id) REFERENCES courses (id) ON DELETE CASCADE
);

CREATE TABLE faq_batches (
    id TEXT COLLATE "C" NOT NULL,
    course_id TEXT COLLATE "C" NOT NULL,
    kind TEXT NOT NULL,
    detail TEXT NOT NULL,
    editor TEXT NOT NULL,
    made_at TIMESTAMP WITH TIME ZONE NOT NULL,
    added INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    undone_at TIMESTAMP WITH TIME ZONE,
    CONSTRAINT pk_faq_batches PRIMARY KEY (id),
    CONSTRAINT fk_faq_batches_course_id FOREIGN KEY(course_id) REFERENCES courses (id) ON DELETE CASCADE
);
CREATE INDEX ix_faq_batches_course_id_made_at ON faq_batches (course_id, made_at);

CREATE TABLE faq_entries (
    id TEXT COLLATE "C" NOT NULL,
    course_id TEXT COLLATE "C" NOT NULL,
    question_key TEXT,
    version INTEGER NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_faq_entries PRIMARY KEY (id),
    CONSTRAINT uq_faq_entries_course_id_question_key UNIQUE (course_id, question_key),
    CONSTRAINT fk_faq_entries_course_id FOREIGN KEY(course_id) REFERENCES courses (id) ON DELETE CASCADE
);

CREATE TABLE graph_edits (
    course_id TEXT COLLATE "C" NOT NULL,
    number INTEGER NOT NULL,
    edit JSON NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    undone BOOLEAN NOT NULL,
    CONSTRAINT pk_graph_edits PRIMARY KEY (course_id, number),
    CONSTRAINT ck_graph_edits_counts_from_one CHECK (number >= 1),
    CONSTRAINT fk_graph_edits_course_id FOREIGN KEY(course_id) REFERENCES courses (id) ON DELETE CASCADE
);

CREATE TABLE ingests (
    id TEXT COLLATE "C" NOT NULL,
    course_id TEXT COLLATE "C" NOT NULL,
    state TEXT NOT NULL,
    done INTEGER NOT NULL,
    total INTEGER NOT NULL,
    report JSON,
    fault JSON,
    passed_over JSON NOT NULL,
    begun_at TIMESTAMP WITH TIME ZONE NOT NULL,
    alive_at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_ingests PRIMARY KEY (id),
    CONSTRAINT fk_ingests_course_id FOREIGN KEY(course_id) REFERENCES courses (id) ON DELETE CASCADE
);
CREATE INDEX ix_ingests_begun_at ON ingests (begun_at);
CREATE INDEX ix_ingests_course_id ON ingests (course_id);

CREATE TABLE invitations (
    digest TEXT COLLATE "C" NOT NULL,
    course_id TEXT COLLATE "C" NOT NULL,
    role TEXT NOT NULL,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    invited_by TEXT NOT NULL,
    expires_at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_invitations PRIMARY KEY (digest),
    CONSTRAINT ck_invitations_role CHECK (role IN ('instructor', 'ta')),
    CONSTRAINT fk_invitations_course_id FOREIGN KEY(course_id) REFERENCES courses (id) ON DELETE CASCADE
);

CREATE TABLE learner_visits (
    digest TEXT COLLATE "C" NOT NULL,
    course_id TEXT COLLATE "C" NOT NULL,
    learner_id TEXT NOT NULL,
    platform_id TEXT COLLATE "C" NOT NULL,
    expires_at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_learner_visits PRIMARY KEY (digest),
    CONSTRAINT fk_learner_visits_course_id FOREIGN KEY(course_id) REFERENCES courses (id) ON DELETE CASCADE,
    CONSTRAINT fk_learner_visits_platform_id FOREIGN KEY(platform_id) REFERENCES lti_platforms (id) ON DELETE CASCADE
);

CREATE TABLE lti_deployments (
    platform_id TEXT COLLATE "C" NOT NULL,
    deployment_id TEXT COLLATE "C" NOT NULL,
    CONSTRAINT pk_lti_deployments PRIMARY KEY (platform_id, deployment_id),
    CONSTRAINT fk_lti_deployments_platform_id FOREIGN KEY(platform_id) REFERENCES lti_platforms (id) ON DELETE CASCADE
);

CREATE TABLE lti_logins (
    state_digest TEXT COLLATE "C" NOT NULL,
    browser_digest TEXT NOT NULL,
    nonce_digest TEXT NOT NULL,
    platform_id TEXT COLLATE "C" NOT NULL,
    storage_target TEXT NOT NULL,
    expires_at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_lti_logins PRIMARY KEY (state_digest),
    CONSTRAINT fk_lti_logins_platform_id FOREIGN KEY(platform_id) REFERENCES lti_platforms (id) ON DELETE CASCADE
);

CREATE TABLE lti_scores (
    platform_id TEXT COLLATE "C" NOT NULL,
    lineitem TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    course_id TEXT COLLATE "C" NOT NULL,
    learner_id TEXT NOT NULL,
    questions INTEGER NOT NULL,
    since TIMESTAMP WITH TIME ZONE NOT NULL,
    next_at TIMESTAMP WITH TIME ZONE,
    tries INTEGER NOT NULL,
    CONSTRAINT pk_lti_scores PRIMARY KEY (platform_id, lineitem, subject),
    CONSTRAINT fk_lti_scores_platform_id FOREIGN KEY(platform_id) REFERENCES lti_platforms (id) ON DELETE CASCADE,
    CONSTRAINT fk_lti_scores_course_id FOREIGN KEY(course_id) REFERENCES courses (id) ON DELETE CASCADE
);
CREATE INDEX ix_lti_scores_next_at ON lti_scores (next_at);

CREATE TABLE lti_shared_courses (
    platform_id TEXT COLLATE "C" NOT NULL,
    course_id TEXT COLLATE "C" NOT NULL,
    CONSTRAINT pk_lti_shared_courses PRIMARY KEY (platform_id, course_id),
    CONSTRAINT fk_lti_shared_courses_platform_id FOREIGN KEY(platform_id) REFERENCES lti_platforms (id) ON DELETE CASCADE,
    CONSTRAINT fk_lti_shared_courses_course_id FOREIGN KEY(course_id) REFERENCES courses (id) ON DELETE CASCADE
);

CREATE TABLE lti_tickets (
    digest TEXT COLLATE "C" NOT NULL,
    platform_id TEXT COLLATE "C" NOT NULL,
    deployment_id TEXT COLLATE "C" NOT NULL,
    context_id TEXT COLLATE "C" NOT NULL,
    instructor TEXT NOT NULL,
    expires_at TIMESTAMP WITH TIME ZONE NOT NULL,
    is_assistant BOOLEAN DEFAULT true NOT NULL,
    deep_linking JSON,
    CONSTRAINT pk_lti_tickets PRIMARY KEY (digest),
    CONSTRAINT fk_lti_tickets_platform_id FOREIGN KEY(platform_id) REFERENCES lti_platforms (id) ON DELETE CASCADE
);

CREATE TABLE memberships (
    person_id TEXT COLLATE "C" NOT NULL,
    course_id TEXT COLLATE "C" NOT NULL,
    role TEXT NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_memberships PRIMARY KEY (person_id, course_id),
    CONSTRAINT ck_memberships_role CHECK (role IN ('instructor', 'ta')),
    CONSTRAINT fk_memberships_person_id FOREIGN KEY(person_id) REFERENCES people (id) ON DELETE CASCADE,
    CONSTRAINT fk_memberships_course_id FOREIGN KEY(course_id) REFERENCES courses (id) ON DELETE CASCADE
);
CREATE INDEX ix_memberships_course_id ON memberships (course_id);

CREATE TABLE password_links (
    digest TEXT COLLATE "C" NOT NULL,
    person_id TEXT COLLATE "C" NOT NULL,
    expires_at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_password_links PRIMARY KEY (digest),
    CONSTRAINT fk_password_links_person_id FOREIGN KEY(person_id) REFERENCES people (id) ON DELETE CASCADE
);

CREATE TABLE removed_documents (
    course_id TEXT COLLATE "C" NOT NULL,
    path TEXT COLLATE "C" NOT NULL,
    sha256 TEXT NOT NULL,
    folder TEXT NOT NULL,
    pairs JSON NOT NULL,
    concepts JSON NOT NULL,
    edges JSON NOT NULL,
    stored_at TIMESTAMP WITH TIME ZONE,
    held JSON NOT NULL,
    switched_off JSON NOT NULL,
    problems JSON NOT NULL,
    removed_at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_removed_documents PRIMARY KEY (course_id, path),
    CONSTRAINT fk_removed_documents_course_id FOREIGN KEY(course_id) REFERENCES courses (id) ON DELETE CASCADE
);
CREATE INDEX ix_removed_documents_removed_at ON removed_documents (removed_at);

CREATE TABLE sessions (
    id TEXT COLLATE "C" NOT NULL,
    course_id TEXT COLLATE "C" NOT NULL,
    learner_id TEXT COLLATE "C",
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_sessions PRIMARY KEY (id),
    CONSTRAINT fk_sessions_course_id FOREIGN KEY(course_id) REFERENCES courses (id) ON DELETE CASCADE
);
CREATE INDEX ix_sessions_course_id_learner_id ON sessions (course_id, learner_id);

CREATE TABLE webhook_deliveries (
    number SERIAL NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    course_id TEXT COLLATE "C" NOT NULL,
    kind TEXT NOT NULL,
    faq_id TEXT COLLATE "C",
    version INTEGER,
    question_ids JSON NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    next_try_at TIMESTAMP WITH TIME ZONE NOT NULL,
    claim TEXT,
    claimed_until TIMESTAMP WITH TIME ZONE,
    tried_at TIMESTAMP WITH TIME ZONE,
    status INTEGER,
    reason TEXT,
    facts JSON,
    CONSTRAINT pk_webhook_deliveries PRIMARY KEY (number),
    CONSTRAINT ck_webhook_deliveries_state CHECK (state IN ('waiting', 'delivered', 'failed')),
    CONSTRAINT uq_webhook_deliveries_id UNIQUE (id),
    CONSTRAINT fk_webhook_deliveries_course_id FOREIGN KEY(course_id) REFERENCES courses (id) ON DELETE CASCADE
);
CREATE INDEX ix_webhook_deliveries_state_course_id_number ON webhook_deliveries (state, course_id, number);

CREATE TABLE console_sessions (
    digest TEXT COLLATE "C" NOT NULL,
    course_id TEXT COLLATE "C",
    key_id TEXT COLLATE "C",
    platform_id TEXT COLLATE "C",
    person_id TEXT COLLATE "C",
    name TEXT NOT NULL,
    csrf TEXT NOT NULL,
    expires_at TIMESTAMP WITH TIME ZONE NOT NULL,
    is_assistant BOOLEAN DEFAULT true NOT NULL,
    CONSTRAINT pk_console_sessions PRIMARY KEY (digest),
    CONSTRAINT ck_console_sessions_one_origin CHECK ((CASE WHEN key_id IS NULL THEN 0 ELSE 1 END) + (CASE WHEN platform_id IS NULL THEN 0 ELSE 1 END) + (CASE WHEN person_id IS NULL THEN 0 ELSE 1 END) = 1),
    CONSTRAINT ck_console_sessions_course_or_person CHECK ((course_id IS NULL) = (person_id IS NOT NULL)),
    CONSTRAINT fk_console_sessions_course_id FOREIGN KEY(course_id) REFERENCES courses (id) ON DELETE CASCADE,
    CONSTRAINT fk_console_sessions_key_id FOREIGN KEY(key_id) REFERENCES course_keys (id) ON DELETE CASCADE,
    CONSTRAINT fk_console_sessions_platform_id FOREIGN KEY(platform_id) REFERENCES lti_platforms (id) ON DELETE CASCADE,
    CONSTRAINT fk_console_sessions_person_id FOREIGN KEY(person_id) REFERENCES people (id) ON DELETE CASCADE
);

CREATE TABLE faq_versions (
    faq_id TEXT COLLATE "C" NOT NULL,
    version INTEGER NOT NULL,
    question TEXT NOT NULL,
    answer TEXT NOT NULL,
    similar_questions JSON NOT NULL,
    negative_questions JSON NOT NULL,
    editor TEXT NOT NULL,
    edited_at TIMESTAMP WITH TIME ZONE NOT NULL,
    removed BOOLEAN NOT NULL,
    category TEXT DEFAULT '' NOT NULL,
    state TEXT DEFAULT 'live' NOT NULL,
    batch_id TEXT COLLATE "C",
    CONSTRAINT pk_faq_versions PRIMARY KEY (faq_id, version),
    CONSTRAINT ck_faq_versions_counts_from_one CHECK (version >= 1),
    CONSTRAINT fk_faq_versions_faq_id FOREIGN KEY(faq_id) REFERENCES faq_entries (id) ON DELETE CASCADE
);
CREATE INDEX ix_faq_versions_batch_id ON faq_versions (batch_id);

CREATE TABLE idempotency_keys (
    digest TEXT COLLATE "C" NOT NULL,
    course_id TEXT COLLATE "C",
    session_id TEXT COLLATE "C",
    request_hash TEXT NOT NULL,
    attempt TEXT NOT NULL,
    held_until TIMESTAMP WITH TIME ZONE,
    expires_at TIMESTAMP WITH TIME ZONE NOT NULL,
    status INTEGER,
    headers JSON,
    body BYTEA,
    CONSTRAINT pk_idempotency_keys PRIMARY KEY (digest),
    CONSTRAINT fk_idempotency_keys_course_id FOREIGN KEY(course_id) REFERENCES courses (id) ON DELETE CASCADE,
    CONSTRAINT fk_idempotency_keys_session_id FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE INDEX ix_idempotency_keys_expires_at ON idempotency_keys (expires_at);

CREATE TABLE lti_contexts (
    platform_id TEXT COLLATE "C" NOT NULL,
    deployment_id TEXT COLLATE "C" NOT NULL,
    context_id TEXT COLLATE "C" NOT NULL,
    course_id TEXT COLLATE "C" NOT NULL,
    names BOOLEAN DEFAULT false NOT NULL,
    score_after INTEGER,
    names_url TEXT,
    CONSTRAINT pk_lti_contexts PRIMARY KEY (platform_id, deployment_id, context_id),
    CONSTRAINT fk_lti_contexts_platform_id_deployment_id FOREIGN KEY(platform_id, deployment_id) REFERENCES lti_deployments (platform_id, deployment_id) ON DELETE CASCADE,
    CONSTRAINT fk_lti_contexts_course_id FOREIGN KEY(course_id) REFERENCES courses (id) ON DELETE CASCADE
);

CREATE TABLE turns (
    id TEXT COLLATE "C" NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL,
    number INTEGER NOT NULL,
    question TEXT NOT NULL,
    answer JSON NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    flagged BOOLEAN DEFAULT false NOT NULL,
    CONSTRAINT pk_turns PRIMARY KEY (id),
    CONSTRAINT uq_turns_session_id_number UNIQUE (session_id, number),
    CONSTRAINT ck_turns_counts_from_one CHECK (number >= 1),
    CONSTRAINT fk_turns_session_id FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);

CREATE TABLE answer_reviews (
    turn_id TEXT COLLATE "C" NOT NULL,
    mark TEXT NOT NULL,
    note TEXT NOT NULL,
    reviewer TEXT NOT NULL,
    reviewed_at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_answer_reviews PRIMARY KEY (turn_id),
    CONSTRAINT ck_answer_reviews_mark CHECK (mark IN ('good', 'partly', 'bad')),
    CONSTRAINT fk_answer_reviews_turn_id FOREIGN KEY(turn_id) REFERENCES turns (id) ON DELETE CASCADE
);

CREATE TABLE feedback (
    turn_id TEXT COLLATE "C" NOT NULL,
    rating TEXT NOT NULL,
    reason TEXT,
    comment TEXT,
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_feedback PRIMARY KEY (turn_id),
    CONSTRAINT ck_feedback_rating CHECK (rating IN ('up', 'down')),
    CONSTRAINT fk_feedback_turn_id FOREIGN KEY(turn_id) REFERENCES turns (id) ON DELETE CASCADE
);
CREATE INDEX ix_feedback_rating_created_at ON feedback (rating, created_at);

CREATE TABLE guard_audit (
    turn_id TEXT COLLATE "C" NOT NULL,
    kind TEXT NOT NULL,
    malicious FLOAT NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_guard_audit PRIMARY KEY (turn_id),
    CONSTRAINT fk_guard_audit_turn_id FOREIGN KEY(turn_id) REFERENCES turns (id) ON DELETE CASCADE
);

CREATE TABLE turn_facts (
    turn_id TEXT COLLATE "C" NOT NULL,
    course_id TEXT COLLATE "C" NOT NULL,
    asked_at TIMESTAMP WITH TIME ZONE NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL,
    number INTEGER NOT NULL,
    question TEXT NOT NULL,
    route TEXT NOT NULL,
    failed BOOLEAN NOT NULL,
    milliseconds FLOAT NOT NULL,
    concepts JSON NOT NULL,
    unit TEXT,
    video TEXT,
    second FLOAT,
    page INTEGER,
    heading TEXT,
    faq_id TEXT COLLATE "C",
    CONSTRAINT pk_turn_facts PRIMARY KEY (turn_id),
    CONSTRAINT fk_turn_facts_turn_id FOREIGN KEY(turn_id) REFERENCES turns (id) ON DELETE CASCADE
);
CREATE INDEX ix_turn_facts_course_id_asked_at ON turn_facts (course_id, asked_at);
CREATE INDEX ix_turn_facts_course_id_faq_id ON turn_facts (course_id, faq_id);

CREATE TABLE waiting_questions (
    id TEXT COLLATE "C" NOT NULL,
    turn_id TEXT COLLATE "C" NOT NULL,
    state TEXT NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    faq_id TEXT COLLATE "C",
    reason TEXT,
    resolved_at TIMESTAMP WITH TIME ZONE,
    seen BOOLEAN DEFAULT false NOT NULL,
    reason_is_public BOOLEAN DEFAULT false NOT NULL,
    assignee TEXT,
    standalone_question TEXT,
    CONSTRAINT pk_waiting_questions PRIMARY KEY (id),
    CONSTRAINT ck_waiting_questions_state CHECK (state IN ('waiting', 'answered', 'rejected')),
    CONSTRAINT uq_waiting_questions_turn_id UNIQUE (turn_id),
    CONSTRAINT fk_waiting_questions_turn_id FOREIGN KEY(turn_id) REFERENCES turns (id) ON DELETE CASCADE
);

CREATE TABLE question_messages (
    question_id TEXT COLLATE "C" NOT NULL,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    author TEXT NOT NULL,
    text TEXT NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_question_messages PRIMARY KEY (question_id, number),
    CONSTRAINT ck_question_messages_kind CHECK (kind IN ('note', 'reply', 'question', 'student')),
    CONSTRAINT fk_question_messages_question_id FOREIGN KEY(question_id) REFERENCES waiting_questions (id) ON DELETE CASCADE
);

INSERT INTO store_state (id, revision) VALUES (1, 0);
