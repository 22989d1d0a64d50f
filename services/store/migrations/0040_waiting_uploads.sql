-- Uploads that wait for a confirmation, for every server of the store.

CREATE TABLE waiting_uploads (
    id TEXT COLLATE "C" NOT NULL,
    course_id TEXT COLLATE "C" NOT NULL,
    details JSON NOT NULL,
    made_at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_waiting_uploads PRIMARY KEY (id),
    CONSTRAINT fk_waiting_uploads_course_id FOREIGN KEY(course_id) REFERENCES courses (id) ON DELETE CASCADE
);

CREATE INDEX ix_waiting_uploads_course_id ON waiting_uploads (course_id);

CREATE INDEX ix_waiting_uploads_made_at ON waiting_uploads (made_at);

CREATE TABLE waiting_files (
    upload_id TEXT COLLATE "C" NOT NULL,
    number INTEGER NOT NULL,
    path TEXT NOT NULL,
    content BYTEA NOT NULL,
    CONSTRAINT pk_waiting_files PRIMARY KEY (upload_id, number),
    CONSTRAINT fk_waiting_files_upload_id FOREIGN KEY(upload_id) REFERENCES waiting_uploads (id) ON DELETE CASCADE
);
