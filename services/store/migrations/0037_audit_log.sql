-- Who changed what and who logged in.

CREATE TABLE audit_log (
    number SERIAL NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    event TEXT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id TEXT COLLATE "C",
    actor_name TEXT NOT NULL,
    course_id TEXT COLLATE "C",
    person_id TEXT COLLATE "C",
    person_name TEXT,
    detail TEXT NOT NULL,
    CONSTRAINT pk_audit_log PRIMARY KEY (number)
);

CREATE INDEX ix_audit_log_at ON audit_log (at);

CREATE INDEX ix_audit_log_course_id ON audit_log (course_id);
